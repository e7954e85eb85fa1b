// What the host's codec takes of memory: what it says, and no more than its share of the picture.
#include <doctest/doctest.h>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "tests/codec/paco_streams.hpp"

namespace {

using namespace gpuimg;
using namespace paco_tests;

constexpr bool counts_allocations =
#if defined(__GLIBC__)
    slow_build_stride == 1;  // a sanitizer's allocator does not count for mallinfo2()
#else
    false;
#endif

/// Bytes that the program has allocated.
std::uint64_t allocated_bytes() {
#if defined(__GLIBC__)
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

/// A line of the kernel's report on this process, in bytes; 0 where there is none.
std::uint64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) == 0) { return 1024 * std::stoull(line.substr(name.size() + 1)); }
  }
  return 0;
}

/// Runs `work` in a process of its own. @returns by how much its memory grew at most.
template <class Work>
std::uint64_t peak_of(const Work& work) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
#if defined(__GLIBC__)
    malloc_trim(0);  // memory that is free already would not show as growth
#endif
    const std::uint64_t before = status_bytes("VmRSS");
    work();
    const std::uint64_t growth = status_bytes("VmHWM") - before;
    _exit(write(ends[1], &growth, sizeof growth) == sizeof growth ? 0 : 1);
  }
  std::uint64_t growth = 0;
  CHECK(read(ends[0], &growth, sizeof growth) == sizeof growth);
  close(ends[0]);
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  return growth;
}

/// Something like a photograph: slopes, edges and the noise of a camera.
template <class S>
std::vector<S> photograph(std::int64_t width, std::int64_t height, int components) {
  std::vector<S> samples(static_cast<std::size_t>(width * height * components));
  constexpr std::uint32_t scale = sizeof(S) == 1 ? 1 : 16;
  std::size_t i = 0;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const std::int64_t object = ((x / 97 + y / 61) % 3) * 40;
      for (int c = 0; c < components; ++c) {
        const auto noise = hash(static_cast<std::uint32_t>(i)) % (5 * scale);
        samples[i++] =
            static_cast<S>(scale * static_cast<std::uint32_t>((object + x / 40 + y / 50 + 8 * c) % 240) + noise);
      }
    }
  }
  return samples;
}

template <class S>
double peak_of_coding(std::int64_t width, std::int64_t height, int components, unsigned threads) {
  const auto raw = static_cast<double>(width * height * components) * sizeof(S);
  const auto peak = peak_of([&] {
    const auto samples = photograph<S>(width, height, components);
    const cube_view<const S> picture(samples.data(), width, height, components, interleave::bip);
    paco::encoder<paco::lossless> encoder(host{threads});
    const auto depth = sizeof(S) == 1 ? 8 : 12;
    const paco::picture_format format{width, height, components, depth, false};
    // Memory that nobody writes is not taken: the stream's own size counts.
    const std::unique_ptr<std::byte[]> stream(new std::byte[static_cast<std::size_t>(encoder.bound(format))]);
    encoder.encode(picture, depth, std::span(stream.get(), static_cast<std::size_t>(encoder.bound(format))));
  });
  return static_cast<double>(peak) / raw;
}

}  // namespace

TEST_CASE("a decoder's estimate covers what it holds") {
  std::vector<picture_case> cases = device_cases();
  for (const int block : {16, 128}) {
    cases.push_back({.width = 1, .height = 3000, .block = block});
    cases.push_back({.width = 3000, .height = 1, .block = block});
    cases.push_back({.width = 1, .height = 1, .components = 20000, .block = block});
    cases.push_back({.width = 700, .height = 500, .components = 3, .block = block});
    cases.back().options.tile_height = 100;
    cases.push_back({.width = 90, .height = 90, .depth = 16, .block = block});
    cases.back().options.levels = 32;
  }
  for (const auto& c : cases) {
    for (const unsigned threads : {1u, 3u}) {
      CAPTURE(c.name());
      CAPTURE(threads);
      with_sample_type(c.depth, c.is_signed, [&](auto sample) {
        using S = decltype(sample);
        const auto picture = make_picture<S>(c, arrangement::planar);
        const auto stream = encode(*make_host_codec(c.block, c.options), picture.read_only(), c.depth);
        const auto h = paco::read_header(stream);
        stored_picture<S> to(h.picture, arrangement::planar);
        const auto codec = make_host_codec(c.block, {}, threads);
        const auto before = allocated_bytes();
        codec->decode(stream, to.view());
        const auto held = allocated_bytes() - before;
        const auto estimate = codec->decoder_estimate(h, threads);
        CHECK(codec->decoder_workspace() <= estimate);
        if (counts_allocations) { CHECK(held <= estimate); }
        // Nothing is held for tiles that are stored as they are.
        const auto said = codec->decoder_workspace();
        if (said > 0) { CHECK(estimate <= 2 * said + (1 << 18) * threads); }
      });
    }
  }
}

TEST_CASE("a limit of memory is kept before anything is allocated") {
  const picture_case c{.width = 300, .height = 200, .components = 3};
  const auto picture = make_picture<std::uint8_t>(c, arrangement::planar);
  paco::encoder<paco::lossless> encoder(host{1});
  const auto stream = encode(encoder, picture.read_only(), 8);
  const auto needed = paco::decoder<paco::lossless>::workspace_size(paco::read_header(stream), 1);
  stored_picture<std::uint8_t> to(c.format<std::uint8_t>(), arrangement::planar);
  paco::decoder<paco::lossless> enough(host{1}, {.memory_limit = needed});
  enough.decode(stream, to.view());
  paco::decoder<paco::lossless> less(host{1}, {.memory_limit = needed - 1});
  const auto before = allocated_bytes();
  errc code = errc::io;
  try {
    less.decode(stream, to.view());
  } catch (const error& e) {
    code = e.code();
    const std::string what = e.what();
    CHECK(what.find(std::to_string(needed)) != std::string::npos);
    CHECK(what.find(std::to_string(needed - 1)) != std::string::npos);
  }
  CHECK(code == errc::out_of_memory);
  CHECK(less.workspace_size() == 0);
  CHECK(allocated_bytes() <= before + 1000);
}

TEST_CASE("estimates do not overflow for the largest headers") {
  using decoder = paco::decoder<paco::lossless>;
  paco::stream_header h;
  h.picture = {4294967295, 134217728, 1, 8, false};
  h.tile_width = h.tile_height = 4294967295;
  h.levels = 32;
  REQUIRE(h.tile_is_countable());
  CHECK(decoder::workspace_size(h) > (std::uint64_t{1} << 60));
  h.block_width_log2 = h.block_height_log2 = 4;
  h.picture.depth = 16;
  CHECK(decoder::workspace_size(h) > (std::uint64_t{1} << 61));
}

TEST_CASE("encoding a photograph takes less than four times its memory, the picture and the stream counted" *
          doctest::skip(slow_build_stride != 1)) {
  if (status_bytes("VmHWM") == 0) {
    MESSAGE("skipped: no /proc/self/status");
    return;
  }
  CHECK(peak_of_coding<std::uint8_t>(3000, 2000, 1, 1) < 4);
  CHECK(peak_of_coding<std::uint8_t>(2000, 1500, 3, 2) < 4);
  CHECK(peak_of_coding<std::uint16_t>(2000, 1500, 1, 2) < 4);
  MESSAGE("8-bit grey, times the picture: ", peak_of_coding<std::uint8_t>(3000, 2000, 1, 1));
}
