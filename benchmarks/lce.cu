/// @file
/// Speed of the LCE-style codec on a device and on the host: prints one table in Markdown.
///
///     benchmark_lce [--quick] [--rounds N]
///
/// The cube is 512 x 512 x 220 16-bit samples: the Jasper Ridge cube of the optional data directory (GPUIMG_DATA, else
/// ../shared/data), mirrored, with one count of seeded noise so that no tile repeats; a generated scene where that is
/// absent. Every device time is the median of several runs by CUDA events; every stream is compared with the host's.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/lce/scene.hpp"

#include "gpuimg/codec/lce/device_pipeline.cuh"
#include "gpuimg/codec/lce/host_decoder.hpp"
#include "gpuimg/codec/lce/host_encoder.hpp"

namespace {

namespace lce = gpuimg::lce;
namespace simt = gpuimg::simt;
using gpuimg::cube_view;
using gpuimg::interleave;
using sample = std::uint16_t;

int rounds = 15;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "benchmark_lce: %s\n", what.c_str());
  std::exit(1);
}

/// Host memory that a device copies from and to at full speed.
class pinned_memory {
 public:
  explicit pinned_memory(std::size_t bytes) : size_(bytes) {
    simt::check_cuda(cudaHostAlloc(&data_, bytes, cudaHostAllocDefault), "pinned memory");
  }
  pinned_memory(const pinned_memory&) = delete;
  pinned_memory& operator=(const pinned_memory&) = delete;
  ~pinned_memory() { static_cast<void>(cudaFreeHost(data_)); }

  template <class T>
  T* as() const noexcept {
    return static_cast<T*>(data_);
  }
  std::size_t size() const noexcept { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Milliseconds of work on a stream.
double time_device(cudaStream_t stream, const std::function<void()>& work) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  simt::check_cuda(cudaEventCreate(&begin), "event");
  simt::check_cuda(cudaEventCreate(&end), "event");
  std::vector<double> times;
  work();
  for (int i = 0; i < rounds; ++i) {
    simt::check_cuda(cudaEventRecord(begin, stream), "event");
    work();
    simt::check_cuda(cudaEventRecord(end, stream), "event");
    simt::check_cuda(cudaEventSynchronize(end), "work");
    float milliseconds = 0;
    simt::check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "event");
    times.push_back(static_cast<double>(milliseconds));
  }
  static_cast<void>(cudaEventDestroy(begin));
  static_cast<void>(cudaEventDestroy(end));
  return median(times);
}

/// Milliseconds of a call that waits for its result.
double time_host(int repeats, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return median(times);
}

void print_row(const std::string& job, double milliseconds, double samples, double bits, const std::string& note) {
  std::printf("| %s | %.3f | %.0f | ", job.c_str(), milliseconds, samples / milliseconds / 1e3);
  if (bits > 0) { std::printf("%.3f", bits); }
  std::printf(" | %s |\n", note.c_str());
  std::fflush(stdout);
}

/// A cube on the device, its stream, and what both need.
class resident_cube {
 public:
  resident_cube(const gpuimg::cuda& execution, const std::vector<sample>& values, std::int64_t w, std::int64_t h,
                std::int64_t b, interleave order)
      : execution_(execution),
        memory_(execution, values.size() * sizeof(sample)),
        decoded_(execution, values.size() * sizeof(sample)),
        result_(execution, sizeof(lce::encode_result)),
        view(memory_.data<sample>(), w, h, b, order),
        decoded_view(decoded_.data<sample>(), w, h, b, order) {
    simt::check_cuda(cudaMemcpy(memory_.data(), values.data(), memory_.size(), cudaMemcpyDefault), "upload");
  }

  /// Times encoder and decoder, checks both, and prints two rows.
  void measure(const std::string& name, const lce::coding_options& options, const std::vector<std::byte>& expected,
               const std::vector<sample>& original) {
    const auto header = lce::make_header(view.width, view.height, view.bands, lce::sample_type::u16, options);
    lce::device_encoder encoder(execution_, header);
    lce::device_decoder decoder(execution_, header);
    const simt::device_buffer output(execution_, static_cast<std::size_t>(lce::most_stream_bytes(header)));
    const auto capacity = static_cast<std::int64_t>(output.size());
    const double encode = time_device(execution_.stream, [&] {
      encoder.encode_slab(0, lce::any_cube(view), output.data(), capacity, result_.data<lce::encode_result>(), true);
    });
    lce::encode_result told{};
    simt::check_cuda(cudaMemcpy(&told, result_.data(), sizeof told, cudaMemcpyDefault), "result");
    std::vector<std::byte> stream(told.bytes);
    simt::check_cuda(cudaMemcpy(stream.data(), output.data(), stream.size(), cudaMemcpyDefault), "download");
    if (!expected.empty() && stream != expected) { fail(name + ": the stream is not the host's"); }

    const std::byte* const slab = output.data() + lce::header_bytes;
    const auto size = static_cast<std::int64_t>(told.bytes - lce::header_bytes);
    const double decode = time_device(execution_.stream,
                                      [&] { decoder.decode_slab(0, slab, size, lce::any_mutable_cube(decoded_view)); });
    if (!decoder.report(0).empty()) { fail(name + ": damage"); }
    check_bound(name, header, original);
    const auto samples = static_cast<double>(view.size());
    const double bits = 8.0 * static_cast<double>(told.bytes) / samples;
    print_row("encode, " + name, encode, samples, bits, expected.empty() ? "" : "bytes are the host's");
    print_row("decode, " + name, decode, samples, bits, "");
  }

 private:
  void check_bound(const std::string& name, const lce::stream_header& header, const std::vector<sample>& original) {
    std::vector<sample> decoded(original.size());
    simt::check_cuda(cudaMemcpy(decoded.data(), decoded_.data(), decoded_.size(), cudaMemcpyDefault), "download");
    if (header.options.mode == lce::coding_mode::lossy) { return; }
    for (std::size_t i = 0; i < decoded.size(); ++i) {
      if (static_cast<std::uint32_t>(std::abs(decoded[i] - original[i])) > header.max_error()) {
        fail(name + ": the error bound is broken");
      }
    }
  }

  gpuimg::cuda execution_;
  simt::device_buffer memory_;
  simt::device_buffer decoded_;
  simt::device_buffer result_;

 public:
  cube_view<const sample> view;
  cube_view<sample> decoded_view;
};

/// Host to host through the pipelines, beside the copies alone.
void measure_pipeline(const gpuimg::cuda& execution, const lce_benchmark::scene& scene, std::int64_t width,
                      std::int64_t height, const lce::coding_options& base, const std::string& name) {
  const auto values = scene.make(width, height, 220, interleave::bsq);
  const pinned_memory source(values.size() * sizeof(sample));
  const pinned_memory decoded(source.size());
  std::memcpy(source.as<void>(), values.data(), source.size());
  auto options = base;
  options.slab_rows = lce::recommended_slab_rows(width, 220, lce::sample_type::u16);
  const auto header = lce::make_header(width, height, 220, lce::sample_type::u16, options);
  const pinned_memory stream(static_cast<std::size_t>(lce::most_stream_bytes(header)));
  const cube_view<const sample> view(source.as<sample>(), width, height, 220, interleave::bsq);
  lce::encode_pipeline encoder(execution, header);
  lce::decode_pipeline decoder(execution, header);

  std::int64_t bytes = 0;
  const auto encode_once = [&] {
    bytes = encoder.encode(lce::any_cube(view), {stream.as<std::byte>(), stream.size()});
  };
  encode_once();
  const double encode = time_host(rounds, encode_once);
  const std::span<const std::byte> coded(stream.as<std::byte>(), static_cast<std::size_t>(bytes));
  const cube_view<sample> out(decoded.as<sample>(), width, height, 220, interleave::bsq);
  const auto decode_once = [&] { decoder.decode(coded, lce::any_mutable_cube(out)); };
  decode_once();
  const double decode = time_host(rounds, decode_once);
  if (options.delta == 1 && std::memcmp(decoded.as<void>(), source.as<void>(), source.size()) != 0) {
    fail(name + ": the cube did not come back");
  }

  const simt::device_buffer memory(execution, source.size());
  const simt::device_buffer small(execution, coded.size());
  const double in = time_device(execution.stream, [&] {
    simt::check_cuda(
        cudaMemcpyAsync(memory.data(), source.as<void>(), source.size(), cudaMemcpyDefault, execution.stream), "copy");
  });
  const double out_time = time_device(execution.stream, [&] {
    simt::check_cuda(
        cudaMemcpyAsync(stream.as<void>(), small.data(), coded.size(), cudaMemcpyDefault, execution.stream), "copy");
  });
  const auto samples = static_cast<double>(values.size());
  const double bits = 8.0 * static_cast<double>(bytes) / samples;
  const std::string ratio = "%.2f times the two copies one after the other (%.2f + %.2f ms)";
  char note[160];
  std::snprintf(note, sizeof note, ratio.c_str(), encode / (in + out_time), in, out_time);
  print_row("host to host encode, " + name, encode, samples, bits, note);
  std::snprintf(note, sizeof note, ratio.c_str(), decode / (in + out_time), out_time, in);
  print_row("host to host decode, " + name, decode, samples, bits, note);
}

/// Many small cubes: one launch each, and one launch for all.
void measure_batch(const gpuimg::cuda& execution, const lce_benchmark::scene& scene) {
  constexpr std::int64_t count = 64, edge = 64, bands = 220;
  const auto header = lce::make_header(edge, edge, bands, lce::sample_type::u16, lce::coding_options::lossless());
  const auto values = scene.make(edge, edge * count, bands, interleave::bip);  // cubes one after the other
  const simt::device_buffer memory(execution, values.size() * sizeof(sample));
  simt::check_cuda(cudaMemcpy(memory.data(), values.data(), memory.size(), cudaMemcpyDefault), "upload");
  const auto capacity = (lce::most_stream_bytes(header) + 255) / 256 * 256;
  const simt::device_buffer output(execution, static_cast<std::size_t>(capacity * count));
  const simt::device_buffer results(execution, count * sizeof(lce::encode_result));
  std::vector<lce::any_cube> cubes;
  std::vector<std::byte*> outputs;
  for (std::int64_t i = 0; i < count; ++i) {
    const cube_view<const sample> view(memory.data<sample>() + i * edge * edge * bands, edge, edge, bands,
                                       interleave::bip);
    cubes.emplace_back(view);
    outputs.push_back(output.data() + i * capacity);
  }
  lce::device_encoder encoder(execution, header);
  auto* const told = results.data<lce::encode_result>();
  const double together =
      time_device(execution.stream, [&] { encoder.encode_batch(0, cubes, outputs, capacity, told, true); });
  const double alone = time_device(execution.stream, [&] {
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      encoder.encode_slab(0, cubes[i], outputs[i], capacity, told + i, true);
    }
  });
  const auto samples = static_cast<double>(values.size());
  print_row("encode 64 cubes of 64 x 64 x 220, one launch", together, samples, 0, "BIP, delta 1");
  print_row("encode 64 cubes of 64 x 64 x 220, 64 launches", alone, samples, 0, "BIP, delta 1");
}

void measure_host(const std::vector<sample>& values, std::int64_t w, std::int64_t h, unsigned threads) {
  const cube_view<const sample> view(values.data(), w, h, 220, interleave::bsq);
  for (const std::uint32_t max_error : {0u, 15u}) {
    const auto options = lce::coding_options::near_lossless(max_error);
    std::vector<std::byte> stream;
    std::vector<sample> decoded(values.size());
    const double encode = time_host(3, [&] { stream = lce::encode(gpuimg::host{threads}, view, options); });
    const double decode = time_host(3, [&] {
      lce::decode(gpuimg::host{threads}, stream, cube_view<sample>(decoded.data(), w, h, 220, interleave::bsq));
    });
    const auto samples = static_cast<double>(values.size());
    const double bits = 8.0 * static_cast<double>(stream.size()) / samples;
    const std::string name = ", host, delta " + std::to_string(options.delta);
    const std::string note = threads == 1 ? "one core" : "all cores";
    print_row("encode" + name, encode, samples, bits, note);
    print_row("decode" + name, decode, samples, bits, note);
  }
}

constexpr const char* paper = "not measured here: Santos et al. 2013, AVIRIS 512 x 512 x 220, copies included";

void run(bool quick) {
  const gpuimg::cuda execution{};
  cudaDeviceProp device{};
  simt::check_cuda(cudaGetDeviceProperties(&device, 0), "device");
  const lce_benchmark::scene scene;
  const std::int64_t edge = quick ? 128 : 512;
  std::printf("Device: %s. Scene: %s, %lld x %lld x 220, 16 bits.\n\n", device.name, scene.name().c_str(),
              static_cast<long long>(edge), static_cast<long long>(edge));
  std::printf("| job | ms | Msamples/s | bits a sample | |\n|---|---:|---:|---:|---|\n");

  if (!quick) { print_row("encode, the paper on a GTX 480", 376, 512.0 * 512 * 220, 0, paper); }
  const auto values = scene.make(edge, edge, 220, interleave::bsq);
  const cube_view<const sample> host_view(values.data(), edge, edge, 220, interleave::bsq);
  std::vector<lce::coding_options> list;
  for (const std::uint32_t max_error : {0u, 5u, 15u, 30u}) {
    list.push_back(lce::coding_options::near_lossless(max_error));
  }
  list.push_back(lce::coding_options::lossy(31));
  {
    resident_cube cube(execution, values, edge, edge, 220, interleave::bsq);
    const simt::device_buffer copy(execution, values.size() * sizeof(sample));
    const double ceiling = time_device(execution.stream, [&] {
      simt::check_cuda(cudaMemcpyAsync(copy.data(), cube.view.data, copy.size(), cudaMemcpyDefault, execution.stream),
                       "copy");
    });
    print_row("copy in device memory", ceiling, static_cast<double>(values.size()), 0, "the ceiling");
    for (const auto& options : list) {
      const bool lossy = options.mode == lce::coding_mode::lossy;
      const auto expected = lce::encode(gpuimg::host{}, host_view, options);
      cube.measure((lossy ? "lossy, delta " : "delta ") + std::to_string(options.delta),
                   lce::read_header(expected).options, expected, values);
    }
    auto options = lce::coding_options::lossless();
    options.checksums = true;
    cube.measure("delta 1, with checksums", options, {}, values);
    options = lce::coding_options::lossless();
    options.band_group = 0;
    cube.measure("delta 1, without a group index", options, {}, values);
  }
  for (const auto order : {interleave::bil, interleave::bip}) {
    const auto ordered = scene.make(edge, edge, 220, order);
    resident_cube cube(execution, ordered, edge, edge, 220, order);
    cube.measure(order == interleave::bil ? "delta 1, BIL" : "delta 1, BIP", lce::coding_options::lossless(), {},
                 ordered);
  }
  measure_pipeline(execution, scene, edge, edge, lce::coding_options::lossless(), "delta 1");
  measure_pipeline(execution, scene, edge, edge, lce::coding_options::near_lossless(15), "delta 31");
  measure_pipeline(execution, scene, 2 * edge, 2 * edge, lce::coding_options::lossless(),
                   "delta 1, " + std::to_string(2 * edge) + " x " + std::to_string(2 * edge) + " x 220");
  measure_batch(execution, scene);
  measure_host(values, edge, edge, 1);
  measure_host(values, edge, edge, 0);
}

}  // namespace

int main(int argc, char** argv) {
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      quick = true;
    } else if (argument == "--rounds" && i + 1 < argc) {
      rounds = std::max(1, std::atoi(argv[++i]));
    } else {
      fail("usage: benchmark_lce [--quick] [--rounds N]");
    }
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no CUDA device: host only\n\n| job | ms | Msamples/s | bits a sample | |\n|---|---:|---:|---:|---|\n");
    const lce_benchmark::scene scene;
    const std::int64_t edge = quick ? 128 : 512;
    const auto values = scene.make(edge, edge, 220, interleave::bsq);
    measure_host(values, edge, edge, 1);
    return 0;
  }
  try {
    run(quick);
  } catch (const std::exception& problem) { fail(problem.what()); }
  return 0;
}
