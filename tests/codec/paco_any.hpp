/// @file
/// Any bytes as a PaCo stream, for tests of damage and for fuzzers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/codec/paco_cases.hpp"
#include "tests/codec/paco_host.hpp"

#include "gpuimg/codec/paco/decoder.hpp"

namespace paco_tests {

/// Calls body(codec_tag) with the codec of these blocks; non-square ones are refused by the one of 64 x 64.
template <class Body>
void with_codec(const paco::stream_header& h, const Body& body) {
  if (h.block_width_log2 != h.block_height_log2) { return body(codec_tag<codec_of<64, 64>>{}); }
  switch (h.block_width_log2) {
    case 4: body(codec_tag<codec_of<16, 16>>{}); break;
    case 5: body(codec_tag<codec_of<32, 32>>{}); break;
    case 7: body(codec_tag<codec_of<128, 128>>{}); break;
    default: body(codec_tag<codec_of<64, 64>>{}); break;
  }
}

/// Decodes a stream of a picture of up to `most` samples on one thread. `fill` is in the picture's memory before.
/// @throws error as read_header() and decoder::decode(), and out_of_memory for a larger picture
inline any_picture decode_any(std::span<const std::byte> stream, std::uint64_t most, int fill = 0x55) {
  any_picture result;
  const auto& h = result.header = paco::read_header(stream);
  const auto& p = h.picture;
  const auto pixels = static_cast<std::uint64_t>(p.width) * static_cast<std::uint64_t>(p.height);
  if (pixels > most / static_cast<std::uint64_t>(p.components)) {
    throw gpuimg::error(gpuimg::errc::out_of_memory, "a picture of more than " + std::to_string(most) + " samples");
  }
  const auto count = static_cast<std::size_t>(pixels) * static_cast<std::size_t>(p.components);
  with_codec(h, [&](auto codec) {
    with_sample_type(p.depth, p.is_signed, [&](auto sample) {
      using S = decltype(sample);
      std::vector<S> samples(count, static_cast<S>(fill));
      paco::decoder<typename decltype(codec)::type> decoder(gpuimg::host{1}, {.memory_limit = 64 * most + (1 << 22)});
      decoder.decode(stream,
                     gpuimg::cube_view<S>(samples.data(), p.width, p.height, p.components, gpuimg::interleave::bsq));
      result.samples.assign(samples.begin(), samples.end());
    });
  });
  return result;
}

}  // namespace paco_tests
