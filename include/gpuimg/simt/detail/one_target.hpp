/// @file
/// Bodies of functions that exist on one target, in code that is compiled for both.
///
/// A kernel is a template marked for host and device, so the members of the groups that it is used with are marked so
/// as well: nvcc would warn otherwise. What they do exists on one side only.
#pragma once

#include <exception>

#include "gpuimg/core/config.hpp"

#if defined(GPUIMG_DEVICE_PASS)
#define GPUIMG_ON_DEVICE(...) __VA_ARGS__
#define GPUIMG_ON_HOST(...) __trap();
#else
#define GPUIMG_ON_DEVICE(...) std::terminate();
#define GPUIMG_ON_HOST(...) __VA_ARGS__
#endif
