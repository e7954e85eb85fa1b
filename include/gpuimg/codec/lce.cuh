/// @file
/// The LCE-style codec on CUDA devices, and all of gpuimg/codec/lce.hpp.
#pragma once

#include "gpuimg/codec/lce.hpp"
#include "gpuimg/codec/lce/device_choice.cuh"
#include "gpuimg/codec/lce/device_decoder.cuh"
#include "gpuimg/codec/lce/device_encoder.cuh"
#include "gpuimg/codec/lce/device_pipeline.cuh"
