#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "apply.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"

namespace gpuimg::examples {

namespace {

template <class S>
void filter_samples(const filter_job& job, const picture_format& format, std::span<const std::byte> in,
                    std::span<std::byte> out, unsigned threads) {
  std::vector<std::byte> room(job.iterations > 1 ? out.size() : 0);
  const auto to = pixels(reinterpret_cast<S*>(out.data()), format);
  apply_all<S>(host{threads}, job, pixels(reinterpret_cast<const S*>(in.data()), format), to,
               room.empty() ? to : pixels(reinterpret_cast<S*>(room.data()), format));
}

}  // namespace

void filter_on_host(const filter_job& job, const picture_format& format, std::span<const std::byte> in,
                    std::span<std::byte> out, unsigned threads) {
  const int bytes = format.bytes_per_sample();
  if (bytes == 4 && !format.is_signed) {
    throw error(errc::unsupported,
                "samples of " + std::to_string(format.depth) + " bits without sign; at most 16, or 32 with a sign");
  }
  const auto run = bytes == 1   ? (format.is_signed ? filter_samples<std::int8_t> : filter_samples<std::uint8_t>)
                   : bytes == 2 ? (format.is_signed ? filter_samples<std::int16_t> : filter_samples<std::uint16_t>)
                                : filter_samples<std::int32_t>;
  run(job, format, in, out, threads);
}

}  // namespace gpuimg::examples
