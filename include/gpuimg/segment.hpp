/// @file
/// Segmentation: region snakes and their building blocks, for the host and for kernels. Operations on a device are in
/// gpuimg/segment/snake.cuh.
#pragma once

#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/portable_real.hpp"
#include "gpuimg/segment/prefix_image.hpp"
#include "gpuimg/segment/prefix_kernels.hpp"
#include "gpuimg/segment/rectangle_kernels.hpp"
#include "gpuimg/segment/rectangle_search.hpp"
#include "gpuimg/segment/region_measures.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/segment/sample_encoding.hpp"
#include "gpuimg/segment/snake.hpp"
#include "gpuimg/segment/snake_kernel.hpp"
#include "gpuimg/segment/snake_parameters.hpp"
