// Any bytes as options and samples: the stream is within its bound, and the picture comes back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "tests/codec/paco_any.hpp"

#include "gpuimg/codec/paco/encoder.hpp"

namespace {

using namespace paco_tests;

/// Numbers from the front of the input, zeros behind its end.
class number_reader {
 public:
  explicit number_reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  /// 0 .. count - 1, from two bytes.
  int below(int count) { return static_cast<int>((next() | next() << 8) % static_cast<unsigned>(count)); }
  std::span<const std::uint8_t> rest() const { return bytes_; }

 private:
  unsigned next() {
    if (bytes_.empty()) { return 0; }
    const unsigned byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  std::span<const std::uint8_t> bytes_;
};

picture_case read_case(number_reader& numbers) {
  picture_case c;
  c.width = numbers.below(60);
  c.height = numbers.below(40);
  c.components = 1 + numbers.below(5);
  c.depth = 1 + numbers.below(16);
  c.is_signed = numbers.below(2) == 1;
  c.block = numbers.below(2) == 0 ? 16 : 64;
  auto& o = c.options;
  o.levels = numbers.below(10);
  o.tile_width = numbers.below(3) == 0 ? 1 + numbers.below(100) : 0;
  o.tile_height = numbers.below(3) == 0 ? 1 + numbers.below(100) : 0;
  o.color_transform = numbers.below(2) == 0;
  if (c.components >= 3) { o.color_components = {2, 0, 1}; }
  o.choice = numbers.below(2) == 0 ? paco::table_choice::automatic : paco::table_choice::standard;
  const int features = numbers.below(8);
  o.features = {(features & 1) != 0, (features & 2) != 0, (features & 4) != 0};
  o.raw_planes = numbers.below(25);
  o.fast_planes = numbers.below(25);
  o.crc = numbers.below(2) == 1;
  return c;
}

/// Samples from the input's bytes, again and again.
template <class S>
std::vector<S> read_samples(const picture_case& c, std::span<const std::uint8_t> bytes) {
  std::vector<S> samples(static_cast<std::size_t>(c.width * c.height * c.components));
  const auto range = std::int32_t{1} << c.depth;
  for (std::size_t i = 0; i < samples.size() && !bytes.empty(); ++i) {
    const std::int32_t value =
        (bytes[i % bytes.size()] | bytes[(i + i / bytes.size() + 1) % bytes.size()] << 8) % range;
    samples[i] = static_cast<S>(std::is_signed_v<S> ? value - range / 2 : value);
  }
  return samples;
}

template <class Codec, class S>
void round_trip(const picture_case& c, std::span<const std::uint8_t> bytes) {
  const auto samples = read_samples<S>(c, bytes);
  const gpuimg::cube_view<const S> picture(samples.data(), c.width, c.height, c.components, gpuimg::interleave::bip);
  paco::encoder<Codec> encoder(gpuimg::host{1}, c.options);
  std::vector<std::byte> stream(static_cast<std::size_t>(encoder.bound(c.format<S>())));
  stream.resize(static_cast<std::size_t>(encoder.encode(picture, c.depth, std::span(stream))));
  std::vector<S> decoded(samples.size());
  paco::decoder<Codec>(gpuimg::host{1})
      .decode(stream, gpuimg::cube_view<S>(decoded.data(), c.width, c.height, c.components, gpuimg::interleave::bip));
  if (decoded != samples) { std::abort(); }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  number_reader numbers(std::span(data, size));
  const auto c = read_case(numbers);
  with_sample_type(c.depth, c.is_signed, [&](auto sample) {
    if (c.block == 16) {
      round_trip<codec_of<16, 16>, decltype(sample)>(c, numbers.rest());
    } else {
      round_trip<codec_of<64, 64>, decltype(sample)>(c, numbers.rest());
    }
  });
  return 0;
}
