/// @file
/// The LCE-style codec on the host: hyperspectral cubes, lossless or within a bound of error (docs/lce-format.md).
///
/// @code
/// const auto stream = gpuimg::lce::encode(gpuimg::host{}, cube, gpuimg::lce::coding_options::near_lossless(5));
/// gpuimg::lce::decode(gpuimg::host{}, stream, decoded);
/// @endcode
#pragma once

#include "gpuimg/codec/lce/cube.hpp"
#include "gpuimg/codec/lce/cube_transfer.hpp"
#include "gpuimg/codec/lce/format.hpp"
#include "gpuimg/codec/lce/host_decoder.hpp"
#include "gpuimg/codec/lce/host_encoder.hpp"
#include "gpuimg/codec/lce/options.hpp"
#include "gpuimg/codec/lce/segment.hpp"
