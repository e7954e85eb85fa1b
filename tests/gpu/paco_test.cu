// The whole codec on a device: its bytes are those of the host, and its pictures too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tests/codec/paco_cases.hpp"
#include "tests/gpu/device_fixture.hpp"

#include "gpuimg/codec/paco/decoder.cuh"
#include "gpuimg/codec/paco/encoder.cuh"

namespace {

using namespace gpuimg;
using namespace paco_tests;

template <class Codec, class S>
std::vector<std::byte> host_stream(const picture_case& c, const std::vector<S>& samples) {
  paco::encoder<Codec> encoder(host{}, c.options);
  std::vector<std::byte> stream(static_cast<std::size_t>(encoder.bound(c.format<S>())));
  const cube_view<const S> picture(samples.data(), c.width, c.height, c.components, c.order);
  stream.resize(static_cast<std::size_t>(encoder.encode(picture, c.depth, stream)));
  return stream;
}

template <class Codec, class S>
void check_case(const gpu_tests::device_fixture& device, const picture_case& c) {
  CAPTURE(c.name());
  const auto samples = make_samples<S>(c);
  const auto expected = host_stream<Codec>(c, samples);
  const cube_view<const S> picture(samples.data(), c.width, c.height, c.components, c.order);

  paco::encoder<Codec, gpuimg::cuda> encoder(device.execution(), c.options);
  std::vector<std::byte> stream(static_cast<std::size_t>(encoder.bound(c.format<S>())));
  stream.resize(static_cast<std::size_t>(encoder.encode(picture, c.depth, stream)));
  CHECK(stream == expected);

  paco::decoder<Codec, gpuimg::cuda> decoder(device.execution());
  std::vector<S> back(samples.size());
  decoder.decode(expected, cube_view<S>(back.data(), c.width, c.height, c.components, c.order));
  CHECK(back == samples);

  // The same from and to device memory.
  const auto on_device = device.upload(samples);
  const cube_view<const S> device_picture(on_device.template data<S>(), c.width, c.height, c.components, c.order);
  std::vector<std::byte> again(expected.size());
  CHECK(encoder.encode(device_picture, c.depth, again) == expected.size());
  CHECK(again == expected);
  simt::device_buffer stream_on_device(device.execution(), expected.size());
  const std::span<std::byte> device_stream(stream_on_device.template data<std::byte>(), expected.size());
  CHECK(encoder.encode(device_picture, c.depth, device_stream) == expected.size());
  CHECK(device.download<std::byte>(stream_on_device, expected.size()) == expected);
  simt::device_buffer decoded(device.execution(), samples.size() * sizeof(S));
  decoder.decode(expected, cube_view<S>(decoded.template data<S>(), c.width, c.height, c.components, c.order));
  CHECK(device.download<S>(decoded, samples.size()) == samples);
  std::fill(back.begin(), back.end(), S{});
  decoder.decode(device_stream, cube_view<S>(back.data(), c.width, c.height, c.components, c.order));
  CHECK(back == samples);
}

template <class Body>
void for_cases(const Body& body) {
  for (const auto& c : device_cases()) {
    visit_case(c, [&](auto codec, auto sample) { body(codec, sample, c); });
  }
}

}  // namespace

TEST_CASE_FIXTURE(gpu_tests::device_fixture, "a device gives the host's streams and pictures") {
  for_cases([&](auto codec, auto sample, const picture_case& c) {
    check_case<typename decltype(codec)::type, decltype(sample)>(*this, c);
  });
}

TEST_CASE_FIXTURE(gpu_tests::device_fixture, "large pictures and tiles on a device") {
  picture_case c{.width = 1921, .height = 1083, .components = 3};
  check_case<codec_of<64, 64>, std::uint8_t>(*this, c);
  c.options.tile_width = 512;
  c.options.tile_height = 300;
  c.options.crc = true;
  check_case<codec_of<64, 64>, std::uint8_t>(*this, c);
  c.depth = 16;
  check_case<codec_of<64, 64>, std::uint16_t>(*this, c);
  c.kind = content::noise;
  check_case<codec_of<64, 64>, std::uint16_t>(*this, c);
}

TEST_CASE_FIXTURE(gpu_tests::device_fixture, "the shipped codec with features fixed at compile time") {
  using fixed = codec_of<64, 64, codec::static_coder_features<true, true, false>>;
  check_case<fixed, std::uint8_t>(*this, {.width = 300, .height = 200, .components = 3});
}

TEST_CASE_FIXTURE(gpu_tests::device_fixture, "damaged streams end in an error or a picture on a device") {
  using shipped = codec_of<64, 64>;
  const picture_case c{.width = 90, .height = 70, .components = 3};
  const auto samples = make_samples<std::uint8_t>(c);
  const auto sound = host_stream<shipped>(c, samples);
  paco::decoder<shipped, gpuimg::cuda> device_decoder(execution(), {.memory_limit = std::uint64_t{1} << 26});
  paco::decoder<shipped> host_decoder(host{1}, {.memory_limit = std::uint64_t{1} << 26});
  std::vector<std::uint8_t> on_device(samples.size());
  std::vector<std::uint8_t> on_host(samples.size());
  const auto decode = [&](auto& decoder, std::span<const std::byte> stream,
                          std::vector<std::uint8_t>& to) -> std::string {
    try {
      decoder.decode(stream, cube_view<std::uint8_t>(to.data(), c.width, c.height, c.components, c.order));
      return "a picture";
    } catch (const error& e) { return e.what(); }
  };
  for (std::uint32_t i = 0; i < 1500; ++i) {
    auto stream = sound;
    const std::uint32_t changes = 1 + i % 3;
    for (std::uint32_t k = 0; k < changes; ++k) {
      const std::uint32_t r = hash(i * 8 + k);
      stream[r % stream.size()] ^= static_cast<std::byte>(1 + (r >> 24) % 255);
    }
    if (i % 10 == 0) { stream.resize(hash(i) % stream.size()); }
    CAPTURE(i);
    const auto expected = decode(host_decoder, stream, on_host);
    CHECK(decode(device_decoder, stream, on_device) == expected);
    if (expected == "a picture") { CHECK(on_device == on_host); }
  }
}

TEST_CASE_FIXTURE(gpu_tests::device_fixture, "samples beyond the depth are refused on a device") {
  const std::vector<std::uint16_t> samples{1, 2, 5000, 3};
  paco::encoder<codec_of<64, 64>, gpuimg::cuda> encoder(execution());
  std::vector<std::byte> stream(1000);
  const cube_view<const std::uint16_t> picture(samples.data(), 2, 2, 1, interleave::bsq);
  CHECK_THROWS_AS(encoder.encode(picture, 12, stream), error);
  CHECK_NOTHROW(encoder.encode(picture, 13, stream));
}

TEST_CASE_FIXTURE(gpu_tests::device_fixture,
                  "device memory stays within 8 bytes a sample (12 for 16 bits), and is reported") {
  const auto check = [&](auto sample, double most) {
    using S = decltype(sample);
    const picture_case c{.width = 2048, .height = 1536, .components = 3, .depth = 8 * sizeof(S)};
    const auto samples = make_samples<S>(c);
    paco::encoder<codec_of<64, 64>, gpuimg::cuda> encoder(execution());
    const auto format = c.format<S>();
    std::vector<std::byte> stream(static_cast<std::size_t>(encoder.bound(format)));
    const cube_view<const S> picture(samples.data(), c.width, c.height, c.components, c.order);
    stream.resize(static_cast<std::size_t>(encoder.encode(picture, c.depth, stream)));
    const double per_sample = static_cast<double>(encoder.workspace_size()) / static_cast<double>(samples.size());
    MESSAGE("encoder: ", per_sample, " bytes a sample of ", c.depth, " bits");
    CHECK(per_sample <= most);
    const auto query = encoder.workspace_size(encoder.header(format), c.width, c.height);
    CHECK(query <= encoder.workspace_size());
    CHECK(encoder.workspace_size() <= query + samples.size() * sizeof(S));
    paco::decoder<codec_of<64, 64>, gpuimg::cuda> decoder(execution());
    std::vector<S> back(samples.size());
    decoder.decode(stream, cube_view<S>(back.data(), c.width, c.height, c.components, c.order));
    const double decoding = static_cast<double>(decoder.workspace_size()) / static_cast<double>(samples.size());
    MESSAGE("decoder: ", decoding, " bytes a sample of ", c.depth, " bits");
    CHECK(decoding <= most);
  };
  check(std::uint8_t{}, 8.0);
  check(std::uint16_t{}, 12.0);
}

TEST_CASE("two threads with a stream each do not disturb one another") {
  using shipped = codec_of<64, 64>;
  const auto work = [](std::int64_t width, bool& good) {
    const gpu_tests::device_fixture device;
    const picture_case c{.width = width, .height = 200, .components = 3};
    const auto samples = make_samples<std::uint8_t>(c);
    const auto expected = host_stream<shipped>(c, samples);
    paco::encoder<shipped, gpuimg::cuda> encoder(device.execution());
    paco::decoder<shipped, gpuimg::cuda> decoder(device.execution());
    const cube_view<const std::uint8_t> picture(samples.data(), c.width, c.height, c.components, c.order);
    good = true;
    for (int i = 0; i < 100; ++i) {
      std::vector<std::byte> stream(expected.size());
      good = good && encoder.encode(picture, c.depth, stream) == expected.size() && stream == expected;
      std::vector<std::uint8_t> back(samples.size());
      decoder.decode(expected, cube_view<std::uint8_t>(back.data(), c.width, c.height, c.components, c.order));
      good = good && back == samples;
    }
  };
  bool first = false;
  bool second = false;
  {
    const std::jthread a([&] { work(333, first); });
    const std::jthread b([&] { work(512, second); });
  }
  CHECK(first);
  CHECK(second);
}
