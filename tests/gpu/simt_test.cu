/// @file
/// The bodies of tests/simt on a device, and what concerns launch and device memory alone.
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/device_fixture.hpp"
#include "tests/simt/atomics.hpp"
#include "tests/simt/grids.hpp"
#include "tests/simt/reductions.hpp"
#include "tests/simt/shared_memory.hpp"
#include "tests/simt/shuffles.hpp"
#include "tests/simt/votes.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/simt/launch.cuh"

namespace simt = gpuimg::simt;
using gpuimg::errc;
using simt::block_group;

namespace {

/// Runs the bodies on a device.
class device_backend : public gpu_tests::device_fixture {
 public:
  template <class T, class MakeKernel>
  std::vector<T> run(const simt::grid_extent& grid, std::size_t count, const MakeKernel& make_kernel) const {
    const auto output = upload(std::vector<T>(count));
    simt::launch(execution(), grid, make_kernel(output.template data<T>()));
    return download<T>(output, count);
  }
};

int current_device() {
  int device = -1;
  simt::check_cuda(cudaGetDevice(&device), "current device");
  return device;
}

template <class Call>
errc code_of(const Call& call) {
  try {
    call();
  } catch (const gpuimg::error& e) {
    MESSAGE(std::string(e.what()));
    return e.code();
  }
  FAIL("no error");
  return errc::io;
}

struct endless_storage_kernel {
  static constexpr int threads = 32;
  struct shared_storage {
    std::uint32_t cells[1 << 18];
  };

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    shared.cells[block.rank()] = 0;
  }
};

/// Writes one cell from the last block.
struct last_block_kernel {
  static constexpr int threads = 32;
  struct shared_storage {};
  std::uint32_t* output;

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const auto at = block.index();
    const auto grid = block.grid();
    if (at.x == grid.x - 1 && at.y == grid.y - 1 && at.z == grid.z - 1 && block.rank() == 0) { *output = 1; }
  }
};

/// Counts what it gives out.
class counting_memory final : public gpuimg::device_memory {
 public:
  void* allocate(std::size_t bytes, cudaStream_t stream) override {
    ++allocations;
    held += bytes;
    return pool_.allocate(bytes, stream);
  }
  void deallocate(void* pointer, std::size_t bytes, cudaStream_t stream) noexcept override {
    held -= bytes;
    pool_.deallocate(pointer, bytes, stream);
  }

  int allocations = 0;
  std::size_t held = 0;

 private:
  simt::async_pool_memory pool_;
};

}  // namespace

TEST_CASE_TEMPLATE("device: shuffles move operands of any size", T, std::uint8_t, std::int16_t, float, std::uint64_t,
                   simt_tests::narrow, simt_tests::wide) {
  device_backend backend;
  simt_tests::check_shuffles<T>(backend);
}

TEST_CASE("device: votes and matches see every lane") {
  device_backend backend;
  simt_tests::check_votes(backend);
}

TEST_CASE("device: reductions and scans of a warp") {
  device_backend backend;
  simt_tests::check_reductions<64, false>(backend);
}

TEST_CASE("device: reductions and scans of a block") {
  device_backend backend;
  simt_tests::check_reductions<32, true>(backend);
  simt_tests::check_reductions<96, true>(backend);
  simt_tests::check_reductions<1024, true>(backend);
}

TEST_CASE("device: blocks know their place in grids of any shape") {
  device_backend backend;
  simt_tests::check_grids(backend);
}

TEST_CASE("device: shared memory and barriers") {
  device_backend backend;
  simt_tests::check_shared_memory(backend);
}

TEST_CASE("device: shared memory above 48 KB") {
  device_backend backend;
  int limit = 0;
  simt::check_cuda(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "limit");
  if (limit > 101 * 1024) {
    simt_tests::check_large_shared_memory(backend);
  } else {
    CHECK(code_of([&] { simt_tests::check_large_shared_memory(backend); }) == errc::unsupported);
  }
}

TEST_CASE_TEMPLATE("device: atomics", T, std::uint32_t, std::int32_t, std::uint64_t) {
  device_backend backend;
  simt_tests::check_atomics<T>(backend);
}

TEST_CASE("device: more blocks than CUDA launches at once") {
  device_backend backend;
  const simt::grid_extent grid{.x = 2, .y = (std::int64_t{1} << 30) + 1};
  REQUIRE(grid.size() > std::numeric_limits<std::int32_t>::max());
  const auto output = backend.run<std::uint32_t>(grid, 1, [](std::uint32_t* cell) { return last_block_kernel{cell}; });
  CHECK(output[0] == 1);
}

TEST_CASE("device: errors of launch name their cause and leave the current device alone") {
  device_backend backend;
  const int before = current_device();
  CHECK(code_of([&] { simt::launch(backend.execution(), {}, endless_storage_kernel{}); }) == errc::unsupported);
  CHECK(code_of([&] { simt::launch(backend.execution(), {.y = -1}, endless_storage_kernel{}); }) ==
        errc::invalid_argument);
  CHECK(code_of([&] { simt::launch({.device = 1 << 20}, {}, last_block_kernel{nullptr}); }) == errc::device);
  CHECK(current_device() == before);
  CHECK(cudaGetLastError() == cudaSuccess);
  simt::launch(backend.execution(), {.x = 0}, last_block_kernel{nullptr});
  backend.wait();
}

TEST_CASE("device: work runs on the device that was asked for") {
  int devices = 0;
  simt::check_cuda(cudaGetDeviceCount(&devices), "devices");
  if (devices < 2) {
    MESSAGE("one device only");
    return;
  }
  const int before = current_device();
  const gpuimg::cuda execution{.device = 1 - before};
  const simt::device_buffer buffer(execution, 4);
  simt::launch(execution, {}, last_block_kernel{buffer.data<std::uint32_t>()});
  CHECK(current_device() == before);
  const simt::device_guard guard(execution.device);
  std::uint32_t value = 0;
  simt::check_cuda(cudaMemcpy(&value, buffer.data(), sizeof value, cudaMemcpyDefault), "download");
  CHECK(value == 1);
}

TEST_CASE("device: a buffer grows, moves, never shrinks, and draws from the caller's memory") {
  counting_memory memory;
  {
    const device_backend backend;
    auto execution = backend.execution();
    execution.memory = &memory;
    simt::device_buffer buffer(execution);
    CHECK(buffer.data() == nullptr);
    buffer.reserve(1000);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256 == 0);
    buffer.reserve(10);
    CHECK(buffer.size() == 1000);
    CHECK(memory.allocations == 1);
    buffer.reserve(5000);
    CHECK(memory.held == 5000);
    simt::device_buffer other(std::move(buffer));
    buffer = std::move(other);
    CHECK(buffer.size() == 5000);
    CHECK(memory.allocations == 2);
    CHECK(code_of([&] { buffer.reserve(std::size_t{1} << 50); }) == errc::out_of_memory);
    CHECK(buffer.size() == 0);
    CHECK(buffer.data() == nullptr);
  }
}
