/// @file
/// Runs snakes with a noise model that is named at run time, on the host or on a CUDA device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input.hpp"

#include "gpuimg/segment/snake_parameters.hpp"

namespace gpuimg::examples {

/// What is searched, and from where.
struct snake_search {
  std::string noise = "gaussian";  ///< gaussian, poisson, gamma:<order>, exponential, rayleigh, bernoulli, log-normal
  std::vector<snake_start> starts;
  int automatic = 0;         ///< rectangles to find, when there is no start
  rectangle window;          ///< of automatic starts; empty: the whole picture
  std::int32_t margin = -1;  ///< the window of an automatic start: its rectangle grown by so much, unless negative
  snake_parameters parameters;
  unsigned threads = 0;
};

/// Results, and the starts that led to them.
struct snake_findings {
  std::vector<snake_start> starts;
  std::vector<snake_result> results;
};

/// Number of CUDA devices that search_on_cuda may use; 0 in a build without CUDA.
int cuda_device_count() noexcept;

/// @throws error invalid_argument for an unknown model, and as gpuimg::snakes
snake_findings search_on_host(const snake_picture& picture, const snake_search& search);

/// The same findings from a device.
/// @throws error as search_on_host and gpuimg::device_snakes; unsupported in a build without CUDA
snake_findings search_on_cuda(const snake_picture& picture, const snake_search& search, int device);

}  // namespace gpuimg::examples
