// Any bytes as an LCE-style stream: whole, a window, a band range. Sizes are bounded here, as a program would bound
// them by what it can hold.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuimg/codec/lce/host_decoder.hpp"

namespace {

namespace lce = gpuimg::lce;

template <class T>
void decode_parts(std::span<const std::byte> stream, const lce::stream_header& header) {
  std::vector<T> samples(static_cast<std::size_t>(header.width * header.height * header.bands));
  const gpuimg::cube_view<T> whole(samples.data(), header.width, header.height, header.bands, header.origin);
  lce::decode(gpuimg::host{1}, stream, whole, {.keep_going = true});
  if (header.empty()) { return; }
  gpuimg::cube_view<T> part = whole.crop(0, 0, (header.width + 1) / 2, (header.height + 1) / 2);
  part.bands = (header.bands + 1) / 2;
  lce::decode(gpuimg::host{1}, stream, part,
              {.x = header.width / 2, .y = header.height / 2, .first_band = header.bands / 2, .keep_going = true});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> stream(reinterpret_cast<const std::byte*>(data),
                                reinterpret_cast<const std::byte*>(data) + size);
  // The header's checksum is made right: a fuzzer does not find it.
  if (size >= lce::header_bytes) {
    gpuimg::store_little(stream.data() + 60, gpuimg::crc32(std::span(stream).first(60)));
  }
  try {
    const auto header = lce::read_header(stream);
    constexpr std::int64_t most = 1 << 20;
    if (header.width * header.height > most || header.width * header.height * header.bands > most) { return 0; }
    switch (header.type) {
      case lce::sample_type::u8: decode_parts<std::uint8_t>(stream, header); break;
      case lce::sample_type::u16: decode_parts<std::uint16_t>(stream, header); break;
      case lce::sample_type::i16: decode_parts<std::int16_t>(stream, header); break;
    }
  } catch (const gpuimg::error&) {
    // What a damaged stream is expected to give.
  }
  return 0;
}
