/// @file
/// What gpuimg-filter does to a picture, and who does it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/picture_format.hpp"

#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/median_options.hpp"

namespace gpuimg::examples {

enum class filter_command : std::uint8_t { median, rank, convolve, correlate, box, gaussian };

/// Coefficients as a file gives them.
struct kernel_file {
  std::vector<double> values;  ///< row by row
  int width = 0;
  int height = 0;

  /// Whether sums of integer samples are exact: all coefficients are integers of 32 bits.
  bool is_integer() const noexcept;
};

/// Reads rows of numbers, apart by spaces, tabs or commas; empty lines and what follows a # do not count.
/// @throws error io, invalid_argument (no numbers, something else, rows of different lengths)
kernel_file read_kernel(const std::string& path);

struct filter_job {
  filter_command command = filter_command::median;
  filter::window_size size;
  filter::border mode = filter::border::reflect;
  double value = 0;
  kernel_file kernel;
  double sigma = 1;
  std::int32_t rank = 0;
  int iterations = 1;
};

/// Filters an interleaved, packed picture of this format on the host.
/// @throws error unsupported (samples of 32 bits without sign), and as the filter
void filter_on_host(const filter_job& job, const picture_format& format, std::span<const std::byte> in,
                    std::span<std::byte> out, unsigned threads);

/// The same on a CUDA device; samples of up to 16 bits without sign.
/// @throws error unsupported (the samples, the kernel, or no CUDA in this build), device
void filter_on_cuda(const filter_job& job, const picture_format& format, std::span<const std::byte> in,
                    std::span<std::byte> out, int device);

/// CUDA devices that this build can use.
int cuda_device_count() noexcept;

}  // namespace gpuimg::examples
