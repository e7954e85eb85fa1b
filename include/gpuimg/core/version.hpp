/// @file
/// Version of the library.
#pragma once

#define GPUIMG_VERSION_MAJOR 0
#define GPUIMG_VERSION_MINOR 1
#define GPUIMG_VERSION_PATCH 0

namespace gpuimg {

/// Semantic version of the library.
struct version {
  int major;
  int minor;
  int patch;
};

/// The version of the headers that the caller was compiled with.
constexpr version header_version() noexcept {
  return {GPUIMG_VERSION_MAJOR, GPUIMG_VERSION_MINOR, GPUIMG_VERSION_PATCH};
}

}  // namespace gpuimg
