// The whole codec as kernels in the emulator: its bytes are those of the host, and its pictures too.
#include <doctest/doctest.h>

#include "tests/codec/paco_cases.hpp"

#include "gpuimg/codec/paco/decoder.hpp"
#include "gpuimg/codec/paco/detail/device_tile_decoder.hpp"
#include "gpuimg/codec/paco/detail/device_tile_encoder.hpp"
#include "gpuimg/simt/emulate.hpp"

namespace {

using namespace gpuimg;
using namespace paco_tests;

struct copy_bytes {
  void operator()(void* to, const void* from, std::size_t bytes) const { std::memcpy(to, from, bytes); }
};

/// Memory with a pattern in it, so that what no kernel wrote shows.
std::vector<std::byte> dirty_memory(std::uint64_t bytes, unsigned char fill) {
  return std::vector<std::byte>(static_cast<std::size_t>(bytes), std::byte{fill});
}

template <class Codec, class T, class S>
std::vector<std::byte> emulated_tile(const paco::stream_header& h, const paco::encode_options& options,
                                     const cube_view<const S>& picture, const simt::emulation& how) {
  const auto layout = paco::layout_tile(h, picture.width, picture.height);
  const paco::detail::encoder_memory<T> needed(nullptr, h, layout);
  auto bytes = dirty_memory(needed.bytes, how.shared_fill);
  const paco::detail::encoder_memory<T> memory(bytes.data(), h, layout);
  const paco::detail::device_tile_encoder<Codec, T> encoder(h, layout, options, memory);
  encoder.upload(copy_bytes{});
  std::vector<std::uint16_t> out(paco::tile_bound(h, picture.width, picture.height) / 2, 0xABAB);
  encoder.encode([&](const auto& grid, const auto& kernel) { simt::emulate(grid, kernel, how); }, picture, 0,
                 out.data());
  CHECK(*memory.misfit == 0);
  const auto* first = reinterpret_cast<const std::byte*>(out.data());
  return {first, first + *memory.size};
}

template <class Codec, class T, class S>
paco::detail::decoder_status emulated_decode(const paco::stream_header& h, std::span<const std::byte> segment,
                                             const cube_view<S>& picture, const simt::emulation& how) {
  const auto layout = paco::layout_tile(h, picture.width, picture.height);
  const paco::detail::decoder_memory<T> needed(nullptr, h, layout);
  auto bytes = dirty_memory(needed.bytes, how.shared_fill);
  const paco::detail::decoder_memory<T> memory(bytes.data(), h, layout);
  const paco::detail::device_tile_decoder<Codec, T> decoder(h, layout, memory);
  decoder.upload(copy_bytes{});
  const auto s = paco::read_segment_header(segment, 0);
  const auto payload = segment.subspan(paco::segment_header_bytes, static_cast<std::size_t>(s.length));
  const auto t = paco::read_tile_header(payload, 16);
  std::vector<std::uint16_t> words((payload.size() - paco::tile_header_bytes) / 2);
  if (!words.empty()) { std::memcpy(words.data(), payload.data() + paco::tile_header_bytes, 2 * words.size()); }
  decoder.decode([&](const auto& grid, const auto& kernel) { simt::emulate(grid, kernel, how); }, t, words.data(),
                 picture);
  return *memory.status;
}

template <class Codec, class S>
void check_case(const picture_case& c, const simt::emulation& how) {
  CAPTURE(c.name());
  const auto samples = make_samples<S>(c);
  const cube_view<const S> picture(samples.data(), c.width, c.height, c.components, c.order);
  paco::encoder<Codec> encoder(host{1}, c.options);
  const auto h = encoder.header(c.format<S>());
  std::vector<std::byte> expected(paco::tile_bound(h, c.width, c.height));
  expected.resize(encoder.encode_tile(h, picture, 0, expected));
  const bool narrow = paco::has_narrow_coefficients(h);
  const auto tile = narrow ? emulated_tile<Codec, std::int16_t>(h, c.options, picture, how)
                           : emulated_tile<Codec, std::int32_t>(h, c.options, picture, how);
  CHECK(tile.size() == expected.size());
  CHECK(tile == expected);

  std::vector<S> back(samples.size());
  const cube_view<S> to(back.data(), c.width, c.height, c.components, c.order);
  const auto status = narrow ? emulated_decode<Codec, std::int16_t>(h, expected, to, how)
                             : emulated_decode<Codec, std::int32_t>(h, expected, to, how);
  CHECK(status.front == 0);
  CHECK(status.damaged_block == ~std::uint64_t{0});
  CHECK(back == samples);
}

}  // namespace

TEST_CASE("the kernels of a tile give the host's bytes and pictures") {
  for (const auto& c : device_cases()) {
    const simt::emulation how{.shared_fill = static_cast<unsigned char>(c.width), .descending = c.height % 2 != 0};
    visit_case(c,
               [&](auto codec, auto sample) { check_case<typename decltype(codec)::type, decltype(sample)>(c, how); });
  }
}

TEST_CASE("samples of few bits in a wide type come back in that type") {
  using codec_type = codec_of<64, 64>;
  const picture_case c{.width = 45, .height = 37, .components = 3, .depth = 5};
  const auto samples = make_samples<std::uint16_t>(c);
  const cube_view<const std::uint16_t> picture(samples.data(), c.width, c.height, c.components, c.order);
  paco::encoder<codec_type> encoder(host{1});
  std::vector<std::byte> stream(static_cast<std::size_t>(encoder.bound(c.format<std::uint16_t>())));
  stream.resize(static_cast<std::size_t>(encoder.encode(picture, c.depth, stream)));
  std::vector<std::uint16_t> back(samples.size());
  paco::decoder<codec_type> decoder(host{1});
  decoder.decode(stream, cube_view<std::uint16_t>(back.data(), c.width, c.height, c.components, c.order));
  CHECK(back == samples);
}
