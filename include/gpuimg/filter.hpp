/// @file
/// Filters: medians and other ranks, convolutions, and their building blocks, for the host and for kernels. On CUDA
/// devices: gpuimg/filter/median.cuh and gpuimg/filter/convolution.cuh.
#pragma once

#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/compare_exchange.hpp"
#include "gpuimg/filter/convolution.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/convolution_kernel.hpp"
#include "gpuimg/filter/forgetful_median.hpp"
#include "gpuimg/filter/kernel_splitting.hpp"
#include "gpuimg/filter/median.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/median_options.hpp"
#include "gpuimg/filter/median_policy.hpp"
#include "gpuimg/filter/nan_policy.hpp"
#include "gpuimg/filter/register_window.hpp"
#include "gpuimg/filter/selection_network.hpp"
#include "gpuimg/filter/smoothing.hpp"
#include "gpuimg/filter/sorted_columns.hpp"
