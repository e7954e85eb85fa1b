/// @file
/// Everything for image coding that needs no CUDA compiler: building blocks, and the PaCo and LCE codecs on the host.
/// The kernels' launchers are in gpuimg/codec/paco/encoder.cuh and decoder.cuh.
#pragma once

#include "gpuimg/codec/arithmetic_coder.hpp"
#include "gpuimg/codec/bit_packing.hpp"
#include "gpuimg/codec/bitplane_block.hpp"
#include "gpuimg/codec/bitplane_host.hpp"
#include "gpuimg/codec/bitplane_walk.hpp"
#include "gpuimg/codec/bitplane_warp.hpp"
#include "gpuimg/codec/cdf_5_3.hpp"
#include "gpuimg/codec/coefficient.hpp"
#include "gpuimg/codec/image_codec.hpp"
#include "gpuimg/codec/lce.hpp"
#include "gpuimg/codec/paco/decoder.hpp"
#include "gpuimg/codec/paco/encoder.hpp"
#include "gpuimg/codec/reversible_color.hpp"
#include "gpuimg/codec/sample_kernels.hpp"
#include "gpuimg/codec/sample_transform.hpp"
#include "gpuimg/codec/subband.hpp"
#include "gpuimg/codec/wavelet_kernels.hpp"
#include "gpuimg/codec/wavelet_transform.hpp"
