/// @file
/// The kernels of the LCE-style codec in the emulator, and the warp's building blocks.
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <random>
#include <vector>

#include "tests/simt/lce_kernels.hpp"

#include "gpuimg/codec/bit_stream.hpp"
#include "gpuimg/codec/lce/device_jobs.hpp"
#include "gpuimg/codec/look_back.hpp"
#include "gpuimg/codec/ring_bit_reader.hpp"
#include "gpuimg/codec/warp_checksum.hpp"
#include "gpuimg/codec/windowed_sum.hpp"
#include "gpuimg/simt/emulate.hpp"

namespace simt = gpuimg::simt;
namespace lce = gpuimg::lce;
using gpuimg::simt::block_group;

namespace {

/// Runs the codec's kernels in the emulator.
class emulator_backend {
 public:
  simt::emulation options{};

  auto launcher() const {
    return [this](const simt::grid_extent& grid, const auto& kernel) { simt::emulate(grid, kernel, options); };
  }

  std::vector<std::byte> encode(const lce::any_cube& source, const lce::stream_header& header) const {
    const auto bytes = lce::write_header(header);
    std::vector<std::byte> stream(bytes.begin(), bytes.end());
    for (std::int64_t slab = 0; slab < header.slabs(); ++slab) {
      const auto rows = source.rows(header.first_row(slab), header.rows(slab));
      const auto part = run({rows}, header, slab, slab == 0).front();
      const auto skip = slab == 0 ? 0 : stream.size();
      stream.resize(skip);
      stream.insert(stream.end(), part.begin(), part.end());
    }
    return stream;
  }

  std::vector<std::vector<std::byte>> batch(const std::vector<lce::any_cube>& cubes,
                                            const lce::stream_header& header) const {
    return run(cubes, header, 0, true);
  }

  bool zero_flags_pay(const lce::any_cube& rows, const lce::stream_header& header) const {
    std::vector<lce::encode_result> results(16);
    const auto jobs = lce::make_trial_jobs(header, 0, rows, results.data());
    const auto count = static_cast<std::int64_t>(jobs.size());
    const lce::encode_workspace parts(count, count, 4 * lce::trial_slot_words(header) * count);
    std::uint64_t bytes[2] = {0, 0};
    for (const bool flags : {false, true}) {
      const auto memory = allocate(parts.size);
      std::memset(memory.get() + parts.states, 0, static_cast<std::size_t>(parts.jobs - parts.states));
      lce::submit_encode(launcher(), lce::trial_rules(header, flags), jobs.data(), count, count,
                         reinterpret_cast<std::uint64_t*>(memory.get() + parts.states),
                         reinterpret_cast<std::uint32_t*>(memory.get() + parts.slots));
      for (const auto& result : results) { bytes[flags ? 1 : 0] += result.bytes; }
    }
    return bytes[1] < bytes[0];
  }

  std::int64_t decode(const std::vector<std::byte>& stream, const lce::stream_header& header,
                      const lce::any_mutable_cube& destination, const lce::decode_options& window) const {
    std::int64_t damaged = 0;
    std::size_t offset = lce::header_bytes;
    for (std::int64_t slab = 0; slab < header.slabs(); ++slab) {
      const auto rest = std::span(stream).subspan(offset);
      const auto payload = lce::read_slab_header(header, slab, rest, offset);
      const auto bytes = lce::slab_layout(header, slab).payload + payload;
      lce::decode_plan plan(header, slab, destination, window);
      if (!plan.empty()) {
        const std::vector<std::byte> copy(rest.begin(), rest.begin() + bytes);  // so that its end is watched
        const auto memory = allocate(plan.workspace.size);
        lce::decode_result result{};
        plan.bind(memory.get(), copy.data(), bytes, &result);
        lce::submit_decode(launcher(), plan, destination, window, header.first_row(slab));
        REQUIRE(result.fault == lce::slab_fault::none);
        damaged += result.damaged_blocks;
      }
      offset += static_cast<std::size_t>(bytes);
    }
    return damaged;
  }

 private:
  struct release {
    void operator()(std::byte* memory) const noexcept { ::operator delete(memory, std::align_val_t(256)); }
  };
  using workspace = std::unique_ptr<std::byte, release>;

  static workspace allocate(std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    workspace memory(static_cast<std::byte*>(::operator new(size, std::align_val_t(256))));
    std::memset(memory.get(), 0xA5, size);
    return memory;
  }

  std::vector<std::vector<std::byte>> run(const std::vector<lce::any_cube>& cubes, const lce::stream_header& header,
                                          std::int64_t slab, bool with_header) const {
    const auto count = static_cast<std::int64_t>(cubes.size());
    const std::int64_t blocks = header.blocks(slab).count();
    const lce::encode_workspace parts(blocks * count, count, lce::slot_bytes(header, slab) * count);
    const auto memory = allocate(parts.size);
    std::memset(memory.get() + parts.states, 0, static_cast<std::size_t>(parts.jobs - parts.states));
    const auto capacity = lce::most_slab_bytes(header, slab) + std::int64_t{lce::header_bytes};
    std::vector<std::vector<std::byte>> outputs(cubes.size(), std::vector<std::byte>(std::size_t(capacity)));
    std::vector<lce::encode_result> results(cubes.size());
    std::vector<lce::encode_job> jobs;
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      jobs.push_back(
          lce::make_encode_job(header, slab, cubes[i], outputs[i].data(), capacity, &results[i], with_header));
      jobs.back().first_block = blocks * static_cast<std::int64_t>(i);
      jobs.back().first_word = lce::slot_bytes(header, slab) / 4 * static_cast<std::int64_t>(i);
    }
    lce::submit_encode(launcher(), lce::coding_rules(header), jobs.data(), count, blocks * count,
                       reinterpret_cast<std::uint64_t*>(memory.get() + parts.states),
                       reinterpret_cast<std::uint32_t*>(memory.get() + parts.slots));
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      CHECK(results[i].overflow == 0);
      outputs[i].resize(results[i].bytes);
    }
    return outputs;
  }
};

struct no_storage {};

/// windowed_sums, or small_windowed_sums, of made-up values.
struct windows_kernel {
  static constexpr int threads = 32;
  using shared_storage = no_storage;
  const std::uint32_t* values;
  std::uint32_t* sums;
  bool small;

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    auto warp = block.warp();
    std::uint32_t own[8];
    std::uint32_t windows[8];
    for (int i = 0; i < 8; ++i) { own[i] = values[8 * warp.rank() + i]; }
    if (small) {
      gpuimg::codec::small_windowed_sums(warp, own, windows);
    } else {
      gpuimg::codec::windowed_sums(warp, own, windows);
    }
    for (int i = 0; i < 8; ++i) { sums[8 * warp.rank() + i] = windows[i]; }
  }
};

/// Each thread reads fields of its own lengths from a place of its own.
struct ring_kernel {
  static constexpr int threads = 32;
  using reader = gpuimg::codec::ring_bit_reader<threads>;
  struct shared_storage {
    typename reader::storage ring;
  };
  const std::uint32_t* words;
  std::int64_t count;
  std::int64_t fields;
  std::uint64_t* read;      ///< 33 bits before each field
  std::int64_t* positions;  ///< of each field

  /// Mostly short; now and then as many bits as a reservation has words for.
  static GPUIMG_FUNCTION int length(int thread, std::int64_t field) {
    const auto mixed = static_cast<std::uint32_t>(thread * 7919 + field * 104729) * 2654435761u >> 16;
    return static_cast<int>(field % 50 < 32 ? mixed % 9 : mixed % 33);
  }

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    const int thread = block.rank();
    reader bits(shared.ring, thread, words, count, std::int64_t{37} * thread);
    for (std::int64_t i = 0; i < fields; ++i) {
      if (i % 32 == 0) { bits.reserve(); }
      read[thread * fields + i] = bits.peek() & 0x1FFFFFFFFu;
      positions[thread * fields + i] = bits.position();
      bits.skip(length(thread, i));
    }
  }
};

struct look_back_kernel {
  static constexpr int threads = 32;
  using shared_storage = no_storage;
  std::uint64_t* states;
  std::int64_t blocks;
  std::int64_t restart;  ///< warps of one sum
  std::uint64_t* sums;

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    auto warp = block.warp();
    const std::int64_t number = gpuimg::codec::take_number(warp, states[blocks]);
    const auto value = static_cast<std::uint64_t>(number * number % 1001) << 20;
    const auto sum = gpuimg::codec::look_back(states).exclusive_sum(warp, value, number, number / restart * restart);
    if (warp.rank() == 31) { sums[number] = sum; }
  }
};

struct checksum_of_words {
  static constexpr int threads = 32;
  using shared_storage = no_storage;
  const std::uint32_t* words;
  std::int64_t count;
  std::uint32_t* result;

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    auto warp = block.warp();
    const auto crc = gpuimg::codec::warp_crc32(warp, words, count);
    if (warp.rank() == 17) { *result = crc; }
  }
};

}  // namespace

TEST_CASE("windowed sums of a warp are sums of the 32 values before") {
  std::mt19937 random(1);
  for (const std::uint32_t greatest : {7u, 65535u}) {
    std::vector<std::uint32_t> values(256);
    std::vector<std::uint32_t> sums(256);
    for (auto& v : values) { v = static_cast<std::uint32_t>(random()) % (greatest + 1); }
    for (std::size_t i = 40; i < 90; ++i) { values[i] = greatest; }
    for (const bool small : {false, true}) {
      if (small && greatest > 7) { continue; }
      CAPTURE(small);
      simt::emulate({}, windows_kernel{values.data(), sums.data(), small});
      for (std::size_t j = 0; j < 256; ++j) {
        std::uint32_t expected = 0;
        for (std::size_t t = j > 32 ? j - 32 : 0; t < j; ++t) { expected += values[t]; }
        REQUIRE(sums[j] == expected);
      }
    }
  }
}

TEST_CASE("a ring of words in shared memory reads what is in memory, and zeros behind it") {
  std::mt19937 random(2);
  constexpr std::int64_t fields = 700;
  for (const std::size_t count : {0u, 1u, 39u, 64u, 65u, 300u}) {
    CAPTURE(count);
    std::vector<std::uint32_t> words(count);
    for (auto& word : words) { word = static_cast<std::uint32_t>(random()); }
    std::vector<std::uint64_t> read(32 * fields);
    std::vector<std::int64_t> positions(32 * fields);
    simt::emulate({},
                  ring_kernel{words.data(), static_cast<std::int64_t>(count), fields, read.data(), positions.data()});
    for (int thread = 0; thread < 32; ++thread) {
      gpuimg::codec::memory_bit_reader bits(words.data(), static_cast<std::int64_t>(count), std::int64_t{37} * thread);
      for (std::int64_t i = 0; i < fields; ++i) {
        const auto at = static_cast<std::size_t>(thread * fields + i);
        if (read[at] != (bits.peek() & 0x1FFFFFFFFu) || positions[at] != bits.position()) {
          FAIL("thread " << thread << ", field " << i);
        }
        bits.skip(ring_kernel::length(thread, i));
      }
    }
  }
}

TEST_CASE("look-back sums what earlier warps have, in any order of arrival") {
  for (const unsigned threads : {1u, 3u}) {
    for (const std::int64_t restart : {1, 40, 200}) {
      constexpr std::int64_t blocks = 130;
      std::vector<std::uint64_t> states(blocks + 1);
      std::vector<std::uint64_t> sums(blocks);
      simt::emulate({.x = blocks}, look_back_kernel{states.data(), blocks, restart, sums.data()}, {.threads = threads});
      std::uint64_t expected = 0;
      for (std::int64_t i = 0; i < blocks; ++i) {
        if (i % restart == 0) { expected = 0; }
        REQUIRE(sums[static_cast<std::size_t>(i)] == expected);
        expected += static_cast<std::uint64_t>(i * i % 1001) << 20;
      }
    }
  }
}

TEST_CASE("the checksum of a warp is that of the bytes") {
  std::mt19937 random(2);
  for (const std::size_t count : {0u, 1u, 2u, 31u, 32u, 33u, 100u, 1000u}) {
    std::vector<std::uint32_t> words(count);
    for (auto& word : words) { word = static_cast<std::uint32_t>(random()); }
    std::uint32_t crc = 0;
    simt::emulate({}, checksum_of_words{words.data(), static_cast<std::int64_t>(count), &crc});
    CHECK(crc == gpuimg::crc32(std::as_bytes(std::span(words))));
  }
}

TEST_CASE("emulated: streams and samples are the host's for every content and all options") {
  emulator_backend backend;
  lce_tests::check_contents(backend, false);
}

TEST_CASE("emulated: the order of threads and what shared memory held do not matter") {
  emulator_backend backend{{.threads = 2, .shared_fill = 0xFF, .descending = true}};
  lce_tests::check_sizes(backend, 40);
}

TEST_CASE("emulated: loads of every width") {
  emulator_backend backend;
  lce_tests::check_alignments(backend);
  lce_tests::check_bands_of_pixels(backend);
}

TEST_CASE("emulated: zero flags are chosen as on the host") {
  emulator_backend backend;
  lce_tests::check_choice(backend);
}

TEST_CASE("emulated: windows and band ranges") {
  emulator_backend backend;
  lce_tests::check_windows(backend, 24);
}

TEST_CASE("emulated: damage") {
  emulator_backend backend;
  lce_tests::check_damage(backend, 42);
}

TEST_CASE("emulated: several cubes in one launch") {
  emulator_backend backend{{.threads = 2}};
  lce_tests::check_batch(backend);
}
