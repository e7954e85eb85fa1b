/// @file
/// The LCE-style codec on a device: the bodies that the emulator runs too, the pipelines, and a larger cube.
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>
#include <memory>
#include <vector>

#include "tests/gpu/device_fixture.hpp"
#include "tests/simt/lce_kernels.hpp"

#include "gpuimg/codec/lce/device_pipeline.cuh"

namespace simt = gpuimg::simt;
namespace lce = gpuimg::lce;
using gpuimg::cube_view;
using gpuimg::host;
using gpuimg::interleave;
using lce_tests::stored_cube;

namespace {

/// Keeps every cube on the device with the strides that it has on the host.
class device_backend : public gpu_tests::device_fixture {
 public:
  std::vector<std::byte> encode(const lce::any_cube& source, const lce::stream_header& header) const {
    const auto bytes = lce::write_header(header);
    if (header.slabs() == 0) { return {bytes.begin(), bytes.end()}; }
    simt::device_buffer memory(execution());
    const lce::any_cube resident = upload_cube(source, memory);
    lce::device_encoder encoder(execution(), header);
    std::vector<std::byte> stream;
    for (std::int64_t slab = 0; slab < header.slabs(); ++slab) {
      const auto rows = resident.rows(header.first_row(slab), header.rows(slab));
      const auto part = run(encoder, {rows}, slab, slab == 0).front();
      stream.insert(stream.end(), part.begin(), part.end());
    }
    return stream;
  }

  std::vector<std::vector<std::byte>> batch(const std::vector<lce::any_cube>& cubes,
                                            const lce::stream_header& header) const {
    std::vector<simt::device_buffer> memory;
    std::vector<lce::any_cube> resident;
    for (const auto& cube : cubes) {
      memory.emplace_back(execution());
      resident.push_back(upload_cube(cube, memory.back()));
    }
    lce::device_encoder encoder(execution(), header);
    return run(encoder, resident, 0, true);
  }

  bool zero_flags_pay(const lce::any_cube& rows, const lce::stream_header& header) const {
    simt::device_buffer memory(execution());
    return lce::zero_flags_pay(execution(), header, 0, upload_cube(rows, memory));
  }

  std::int64_t decode(const std::vector<std::byte>& stream, const lce::stream_header& header,
                      const lce::any_mutable_cube& destination, const lce::decode_options& window) const {
    simt::device_buffer memory(execution());
    lce::any_mutable_cube resident = destination;
    lce::any_cube readable;
    readable.data = destination.data;
    readable.width = destination.width;
    readable.height = destination.height;
    readable.bands = destination.bands;
    readable.x_stride = destination.x_stride;
    readable.y_stride = destination.y_stride;
    readable.band_stride = destination.band_stride;
    readable.type = destination.type;
    if (extent(readable) == 0) { return 0; }
    resident.data = const_cast<std::byte*>(upload_cube(readable, memory).data);
    lce::device_decoder decoder(execution(), header);
    std::int64_t damaged = 0;
    std::size_t offset = lce::header_bytes;
    for (std::int64_t slab = 0; slab < header.slabs(); ++slab) {
      const auto rest = std::span(stream).subspan(offset);
      const auto bytes = lce::slab_layout(header, slab).payload + lce::read_slab_header(header, slab, rest, offset);
      const auto copy = upload(std::vector<std::byte>(rest.begin(), rest.begin() + bytes));
      decoder.decode_slab(slab, copy.data(), bytes, resident, window);
      damaged += static_cast<std::int64_t>(decoder.report(offset).size());
      offset += static_cast<std::size_t>(bytes);
    }
    simt::check_cuda(
        cudaMemcpyAsync(destination.data, resident.data, extent(readable), cudaMemcpyDefault, execution().stream),
        "download");
    wait();
    return damaged;
  }

 private:
  /// Bytes from the first sample to the last.
  static std::size_t extent(const lce::any_cube& c) {
    if (c.width == 0 || c.height == 0 || c.bands == 0) { return 0; }
    return static_cast<std::size_t>((c.width - 1) * c.x_stride + (c.height - 1) * c.y_stride +
                                    (c.bands - 1) * c.band_stride + lce::bytes_of(c.type));
  }

  lce::any_cube upload_cube(const lce::any_cube& cube, simt::device_buffer& memory) const {
    memory.reserve(extent(cube) + 16);
    simt::check_cuda(cudaMemcpyAsync(memory.data(), cube.data, extent(cube), cudaMemcpyDefault, execution().stream),
                     "upload");
    lce::any_cube resident = cube;
    resident.data = memory.data();
    return resident;
  }

  std::vector<std::vector<std::byte>> run(lce::device_encoder& encoder, const std::vector<lce::any_cube>& cubes,
                                          std::int64_t slab, bool with_header) const {
    const auto capacity = lce::most_slab_bytes(encoder.header(), slab) + std::int64_t{lce::header_bytes};
    std::vector<simt::device_buffer> memory;
    std::vector<std::byte*> outputs;
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      memory.emplace_back(execution(), static_cast<std::size_t>(capacity));
      outputs.push_back(memory.back().data());
    }
    const simt::device_buffer results(execution(), cubes.size() * sizeof(lce::encode_result));
    encoder.encode_batch(slab, cubes, outputs, capacity, results.data<lce::encode_result>(), with_header);
    const auto told = download<lce::encode_result>(results, cubes.size());
    std::vector<std::vector<std::byte>> streams;
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      REQUIRE(told[i].overflow == 0);
      streams.push_back(download<std::byte>(memory[i], told[i].bytes));
    }
    return streams;
  }
};

/// Pipelines against the host, from and to pageable memory.
template <class T>
void check_pipelines(const gpuimg::cuda& execution, const cube_view<const T>& source,
                     const lce::coding_options& options, interleave order) {
  const auto expected = lce::encode(host{}, source, options, order);
  REQUIRE(lce::encode(execution, source, options, order) == expected);
  const simt::device_buffer memory(execution, static_cast<std::size_t>(source.size()) * sizeof(T));
  simt::check_cuda(cudaMemcpyAsync(memory.data(), source.data, memory.size(), cudaMemcpyDefault, execution.stream),
                   "upload");
  const cube_view<const T> resident(memory.data<const T>(), source.width, source.height, source.bands, order);
  REQUIRE(lce::encode(execution, resident, options, order) == expected);
  std::vector<T> decoded(static_cast<std::size_t>(source.size()));
  std::vector<T> by_host(decoded.size());
  const auto view = [&](std::vector<T>& samples) {
    return cube_view<T>(samples.data(), source.width, source.height, source.bands, order);
  };
  lce::decode(host{}, expected, view(by_host));
  lce::decode(execution, expected, view(decoded));
  REQUIRE(decoded == by_host);
}

}  // namespace

TEST_CASE("device: lce streams and samples are the host's for every content and all options") {
  device_backend backend;
  lce_tests::check_contents(backend, true);
}

TEST_CASE("device: lce cubes of all sizes") {
  device_backend backend;
  lce_tests::check_sizes(backend, 40);
}

TEST_CASE("device: lce loads of every width") {
  device_backend backend;
  lce_tests::check_alignments(backend);
  lce_tests::check_bands_of_pixels(backend);
}

TEST_CASE("device: zero flags are chosen as on the host") {
  device_backend backend;
  lce_tests::check_choice(backend);
}

TEST_CASE("device: lce windows and band ranges") {
  device_backend backend;
  lce_tests::check_windows(backend, 60);
}

TEST_CASE("device: lce damage") {
  device_backend backend;
  lce_tests::check_damage(backend, 126);
}

TEST_CASE("device: lce cubes in one launch") {
  device_backend backend;
  lce_tests::check_batch(backend);
}

TEST_CASE("device: lce pipelines give the host's bytes for real and generated cubes") {
  const gpu_tests::device_fixture device;
  for (const auto& options : lce_tests::oracle::all_options()) {
    const auto c = lce_tests::oracle::make_cube(70, 100, 9, lce_tests::oracle::content::smooth);
    for (const auto order : {interleave::bsq, interleave::bil, interleave::bip}) {
      stored_cube<std::uint16_t> source(70, 100, 9, order);
      source.assign(c);
      check_pipelines<std::uint16_t>(device.execution(), source.view, options, order);
    }
  }
  for (const auto& c : lce_tests::oracle::real_cubes) {
    const auto samples = lce_tests::oracle::load(c);
    if (samples.empty()) { continue; }
    CAPTURE(std::string(c.name));
    for (const std::uint32_t max_error : {0u, 5u, 15u}) {
      auto options = lce::coding_options::near_lossless(max_error);
      options.slab_rows = 32;
      if (c.is_signed) {
        check_pipelines<std::int16_t>(
            device.execution(),
            {reinterpret_cast<const std::int16_t*>(samples.data()), c.width, c.height, c.bands, c.order}, options,
            c.order);
      } else {
        check_pipelines<std::uint16_t>(device.execution(), {samples.data(), c.width, c.height, c.bands, c.order},
                                       options, c.order);
      }
    }
  }
}

TEST_CASE("device: a pipeline decodes a window, and tells where damage is") {
  const gpu_tests::device_fixture device;
  stored_cube<std::uint16_t> source(50, 90, 6, interleave::bsq);
  source.assign(lce_tests::oracle::make_cube(50, 90, 6, lce_tests::oracle::content::smooth));
  lce::coding_options options;
  options.slab_rows = 16;
  options.checksums = true;
  auto stream = lce::encode(host{}, source.view, options);
  stored_cube<std::uint16_t> part(20, 60, 3, interleave::bil);
  stored_cube<std::uint16_t> expected(20, 60, 3, interleave::bil);
  const lce::decode_options window{.x = 11, .y = 20, .first_band = 2, .keep_going = true};
  lce::decode(host{}, stream, expected.view, window);
  CHECK(lce::decode(device.execution(), stream, part.view, window).empty());
  CHECK(part.memory == expected.memory);
  stream[stream.size() / 2] ^= std::byte{1};
  const auto by_host = lce::decode(host{}, stream, expected.view, window);
  CHECK(lce::decode(device.execution(), stream, part.view, window) == by_host);
  CHECK(part.memory == expected.memory);
  stored_cube<std::uint16_t> whole(50, 90, 6, interleave::bsq);
  CHECK_THROWS_AS(lce::decode(device.execution(), stream, whole.view), gpuimg::error);
}

TEST_CASE("device: the lce workspace is at most 1.2 times the slab, and an output too small is told") {
  const gpu_tests::device_fixture device;
  const auto header = lce::make_header(512, 256, 100, lce::sample_type::u16, lce::coding_options::lossless());
  const double raw = 512.0 * 256 * 100 * 2;
  lce::device_encoder encoder(device.execution(), header);
  lce::device_decoder decoder(device.execution(), header);
  CHECK(static_cast<double>(encoder.workspace_bytes()) < 1.2 * raw);
  CHECK(static_cast<double>(decoder.workspace_bytes()) < 1.2 * raw);

  const simt::device_buffer cube(device.execution(), static_cast<std::size_t>(raw));
  const simt::device_buffer output(device.execution(), 1 << 20);
  const simt::device_buffer result(device.execution(), sizeof(lce::encode_result));
  simt::check_cuda(cudaMemsetAsync(cube.data(), 0x5A, cube.size(), device.execution().stream), "fill");
  simt::check_cuda(cudaMemsetAsync(output.data(), 0xEE, output.size(), device.execution().stream), "fill");
  const cube_view<const std::uint16_t> view(cube.data<const std::uint16_t>(), 512, 256, 100, interleave::bsq);
  encoder.encode_slab(0, view, output.data(), 1000, result.data<lce::encode_result>());
  CHECK(device.download<lce::encode_result>(result, 1).front().overflow != 0);
  const auto bytes = device.download<std::byte>(output, 2000);
  for (std::size_t i = 1000; i < bytes.size(); ++i) { REQUIRE(bytes[i] == std::byte{0xEE}); }
}
