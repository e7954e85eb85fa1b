/// @file
/// The emulator: the bodies that a device runs too, and what it finds that a device does not.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/simt/atomics.hpp"
#include "tests/simt/grids.hpp"
#include "tests/simt/reductions.hpp"
#include "tests/simt/shared_memory.hpp"
#include "tests/simt/shuffles.hpp"
#include "tests/simt/votes.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/simt/emulate.hpp"

namespace simt = gpuimg::simt;
using gpuimg::errc;
using simt::block_group;

namespace {

/// Runs the bodies in the emulator.
class emulator_backend {
 public:
  template <class T, class MakeKernel>
  std::vector<T> run(const simt::grid_extent& grid, std::size_t count, const MakeKernel& make_kernel) const {
    std::vector<T> output(count);
    simt::emulate(grid, make_kernel(output.data()), options);
    return output;
  }

  simt::emulation options;
};

/// In two orders, over two fills, on one host thread and on two.
template <class Body>
void in_all_ways(const Body& body) {
  for (const unsigned threads : {1u, 2u}) {
    for (const bool descending : {false, true}) {
      CAPTURE(threads);
      CAPTURE(descending);
      emulator_backend backend{{.threads = threads,
                                .shared_fill = static_cast<unsigned char>(descending ? 0 : 0xFF),
                                .descending = descending}};
      body(backend);
    }
  }
}

/// What the emulation fails with.
template <class Kernel>
gpuimg::error failure_of(const Kernel& kernel, const simt::emulation& options = {}) {
  try {
    simt::emulate({.x = 2}, kernel, options);
  } catch (const gpuimg::error& e) { return e; }
  FAIL("the emulation did not fail");
  return {errc::unsupported, ""};
}

bool mentions(const gpuimg::error& e, const std::string& text) {
  return std::string(e.what()).find(text) != std::string::npos;
}

std::string here(int line) { return std::string(__FILE__) + ":" + std::to_string(line); }

}  // namespace

TEST_CASE_TEMPLATE("shuffles move operands of any size", T, std::uint8_t, std::int16_t, float, std::uint64_t,
                   simt_tests::narrow, simt_tests::wide) {
  in_all_ways([](auto& backend) { simt_tests::check_shuffles<T>(backend); });
}

TEST_CASE("votes and matches see every lane") {
  in_all_ways([](auto& backend) { simt_tests::check_votes(backend); });
}

TEST_CASE("reductions and scans of a warp") {
  in_all_ways([](auto& backend) { simt_tests::check_reductions<64, false>(backend); });
}

TEST_CASE("reductions and scans of a block") {
  in_all_ways([](auto& backend) {
    simt_tests::check_reductions<32, true>(backend);
    simt_tests::check_reductions<96, true>(backend);
    simt_tests::check_reductions<1024, true>(backend);
  });
}

TEST_CASE("blocks know their place in grids of any shape") {
  in_all_ways([](auto& backend) { simt_tests::check_grids(backend); });
}

TEST_CASE("shared memory and barriers") {
  in_all_ways([](auto& backend) {
    simt_tests::check_shared_memory(backend);
    simt_tests::check_large_shared_memory(backend);
  });
}

TEST_CASE_TEMPLATE("atomics", T, std::uint32_t, std::int32_t, std::uint64_t) {
  in_all_ways([](auto& backend) { simt_tests::check_atomics<T>(backend); });
}

TEST_CASE("a grid that is none is refused") {
  const simt_tests::grid_kernel kernel{nullptr};
  CHECK_THROWS_AS(simt::emulate({.x = -1}, kernel), gpuimg::error);
  CHECK_THROWS_AS(simt::emulate({.x = std::int64_t{1} << 40, .y = std::int64_t{1} << 23}, kernel), gpuimg::error);
  simt::emulate({.x = std::int64_t{1} << 40, .y = std::int64_t{1} << 23, .z = 0}, kernel);
}

namespace {

struct different_collectives {
  static constexpr int threads = 64;
  static constexpr int first_line = __LINE__ + 6;
  struct shared_storage {};

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const noexcept {
    if (block.rank() != 40) {
      block.warp().ballot(true);
    } else {
      block.warp().sync();
    }
  }
};

struct different_places {
  static constexpr int threads = 32;
  static constexpr int first_line = __LINE__ + 6;
  struct shared_storage {};

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    if (block.rank() < 31) {
      block.sync();
    } else {
      block.sync();
    }
  }
};

struct different_sizes {
  static constexpr int threads = 32;
  struct shared_storage {};

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    auto warp = block.warp();
    const auto read = [&](auto value) { return warp.shuffle(value, 0); };
    if (block.rank() == 9) {
      read(std::uint64_t{1});
    } else {
      read(std::uint8_t{1});
    }
  }
};

struct early_exit {
  static constexpr int threads = 64;
  struct shared_storage {};
  int leaver;

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    if (block.rank() == leaver) { return; }
    block.warp().any(false);
    block.sync();
  }
};

struct warp_against_block {
  static constexpr int threads = 64;
  struct shared_storage {};

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    if (block.rank() == 50) {
      block.warp().sync();
    } else {
      block.sync();
    }
  }
};

struct far_shuffle {
  static constexpr int threads = 32;
  struct shared_storage {};
  int distance;

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    block.warp().shuffle_down(1, distance);
  }
};

}  // namespace

TEST_CASE("threads at different collectives are reported") {
  const auto e = failure_of(different_collectives{});
  CHECK(e.code() == errc::divergence);
  CHECK(mentions(e, "block (0, 0, 0): thread 40 (warp 1, lane 8) reached warp.sync at " +
                        here(different_collectives::first_line + 2)));
  CHECK(mentions(e, "thread 32 (warp 1, lane 0) waits at warp.ballot at " + here(different_collectives::first_line)));
}

TEST_CASE("threads at different calls of one collective are reported") {
  for (const bool descending : {false, true}) {
    const auto e = failure_of(different_places{}, {.descending = descending});
    CHECK(e.code() == errc::divergence);
    CHECK(mentions(e, "block.sync at " + here(different_places::first_line)));
    CHECK(mentions(e, "block.sync at " + here(different_places::first_line + 2)));
  }
}

TEST_CASE("operands of different sizes are reported") {
  const auto e = failure_of(different_sizes{});
  CHECK(e.code() == errc::divergence);
  CHECK(mentions(e, "thread 9 "));
  CHECK(mentions(e, "(operand of 8 bytes)"));
  CHECK(mentions(e, "(operand of 1 bytes)"));
}

TEST_CASE("a thread that leaves while others wait is reported") {
  const auto later = failure_of(early_exit{40});
  CHECK(later.code() == errc::divergence);
  CHECK(
      mentions(later, "thread 40 (warp 1, lane 8) left the kernel, but thread 32 (warp 1, lane 0) waits at warp.any"));
  const auto before = failure_of(early_exit{0});
  CHECK(before.code() == errc::divergence);
  CHECK(mentions(before, "thread 1 (warp 0, lane 1) reached warp.any"));
  CHECK(mentions(before, "thread 0 (warp 0, lane 0) has left the kernel"));
}

TEST_CASE("a deadlock between a warp and its block is reported") {
  const auto e = failure_of(warp_against_block{});
  CHECK(e.code() == errc::divergence);
  CHECK(mentions(e, "deadlock: thread 50 (warp 1, lane 18) waits at warp.sync"));
  CHECK(mentions(e, "thread 32 (warp 1, lane 0) waits at block.sync"));
}

TEST_CASE("shuffle distances are lanes") {
  for (const int distance : {-1, 32}) {
    const auto e = failure_of(far_shuffle{distance});
    CHECK(e.code() == errc::invalid_argument);
    CHECK(mentions(e, std::to_string(distance)));
  }
}

namespace {

struct throwing_kernel {
  static constexpr int threads = 96;
  struct shared_storage {};
  std::atomic<int>* finished;

  template <block_group Block>
  void operator()(Block& block, shared_storage&) const {
    block.sync();
    if (block.index().x == 3 && block.rank() == 70) { throw std::runtime_error("thread 70 of block 3"); }
    block.warp().sync();
    ++*finished;
  }
};

/// Reads what it has not written.
struct unwritten_kernel {
  static constexpr int threads = 32;
  struct shared_storage {
    std::uint8_t cells[threads];
  };
  std::uint8_t* output;

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    if (block.rank() != 5) { shared.cells[block.rank()] = 1; }
    block.sync();
    output[block.index().x * threads + block.rank()] = shared.cells[block.rank()];
  }
};

/// Lacks a barrier between a write and a neighbour's read.
struct racing_kernel {
  static constexpr int threads = 64;
  struct shared_storage {
    int cells[threads];
  };
  int* output;

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    shared.cells[block.rank()] = block.rank();
    output[block.rank()] = shared.cells[(block.rank() + 1) % threads];
  }
};

}  // namespace

TEST_CASE("an exception leaves the kernel") {
  for (const unsigned threads : {1u, 2u}) {
    std::atomic<int> finished{0};
    const throwing_kernel kernel{&finished};
    CHECK_THROWS_WITH_AS(simt::emulate({.x = 8}, kernel, {.threads = threads}), "thread 70 of block 3",
                         std::runtime_error);
    CHECK(finished >= (threads == 1 ? 3 * 96 : 0));
    finished = 0;
    simt::emulate({.x = 3}, kernel, {.threads = threads});
    CHECK(finished == 3 * 96);
  }
}

TEST_CASE("shared memory starts with the fill in every block") {
  const auto read = [](unsigned char fill) {
    return emulator_backend{{.shared_fill = fill}}.run<std::uint8_t>(
        {.x = 3}, 3 * 32, [](std::uint8_t* output) { return unwritten_kernel{output}; });
  };
  const auto zeros = read(0);
  const auto ones = read(0xFF);
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    CHECK(zeros[i] == (i % 32 == 5 ? 0 : 1));
    CHECK(ones[i] == (i % 32 == 5 ? 0xFF : 1));
  }
}

TEST_CASE("a race shows in the order of threads") {
  const auto run = [](bool descending) {
    return emulator_backend{{.descending = descending}}.run<int>({}, 64,
                                                                 [](int* output) { return racing_kernel{output}; });
  };
  CHECK(run(false) != run(true));
}
