// PaCo on a CUDA device, stage by stage: time of each group of kernels, device-resident, lossless, default options.
//
//   benchmark_paco [--benchmark_filter=...]       synthetic pictures; with GPUIMG_PICTURE=file.ppm that picture too
//
// Counters are microseconds a picture (color: load or store of samples; dwt; count, fit: tables; blocks: bitplane
// coder; pack: index, places, gathering), samples a second of all stages, bytes of workspace a sample, and bits a
// sample. copy_us is a device-to-device copy of the picture's samples, the ceiling of any stage that reads and writes
// them once.
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "examples/support/synthetic_picture.hpp"

#include "gpuimg/codec/paco/decoder.cuh"
#include "gpuimg/codec/paco/encoder.cuh"

namespace {

using namespace gpuimg;
template <int Block, bool Compact>
using codec_of = codec::image_codec<codec::reversible_color, codec::wavelet<codec::cdf_5_3, 5>, codec::no_quantizer,
                                    codec::paco_coder<Block, Block, codec::static_coder_features<true, true, Compact>>>;

struct picture {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int components = 1;
  int depth = 8;
  std::vector<std::uint8_t> bytes;  ///< interleaved
};

picture make_picture(std::int64_t width, std::int64_t height, int components, int depth) {
  examples::picture_format format;
  format.width = width;
  format.height = height;
  format.components = components;
  format.depth = depth;
  picture p{width, height, components, depth, {}};
  p.bytes.resize(static_cast<std::size_t>(format.bytes()));
  examples::synthetic_picture source(format);
  const auto rows = std::as_writable_bytes(std::span(p.bytes));
  const auto row = static_cast<std::size_t>(format.bytes_per_row());
  for (std::int64_t y = 0; y < height; ++y) {
    source.make_row(y, rows.subspan(static_cast<std::size_t>(y) * row, row));
  }
  return p;
}

picture read_ppm(const char* path) {
  std::ifstream in(path, std::ios::binary);
  std::string magic;
  int most = 0;
  picture p;
  in >> magic >> p.width >> p.height >> most;
  in.get();
  p.components = magic == "P6" ? 3 : 1;
  p.bytes.resize(static_cast<std::size_t>(p.width * p.height * p.components));
  in.read(reinterpret_cast<char*>(p.bytes.data()), static_cast<std::streamsize>(p.bytes.size()));
  if (!in || most != 255) { throw error(errc::io, std::string(path) + " is no 8-bit PPM or PGM"); }
  return p;
}

// Which stage a kernel belongs to.
template <class Kernel>
constexpr const char* stage_of(const Kernel&) {
  return "pack_us";
}
template <class S, class T>
constexpr const char* stage_of(const codec::load_samples_kernel<S, T>&) {
  return "color_us";
}
template <class T, class S>
constexpr const char* stage_of(const codec::store_samples_kernel<T, S>&) {
  return "color_us";
}
template <class T>
constexpr const char* stage_of(const codec::forward_cdf_5_3_kernel<T>&) {
  return "dwt_us";
}
template <class T>
constexpr const char* stage_of(const codec::inverse_cdf_5_3_kernel<T>&) {
  return "dwt_us";
}
template <class A, int P, class F, class T>
constexpr const char* stage_of(const paco::detail::count_blocks_kernel<A, P, F, T>&) {
  return "count_us";
}
template <class A, int P, class F, class T>
constexpr const char* stage_of(const paco::detail::encode_blocks_kernel<A, P, F, T>&) {
  return "blocks_us";
}
template <class A, int P, class F, class T>
constexpr const char* stage_of(const paco::detail::decode_blocks_kernel<A, P, F, T>&) {
  return "blocks_us";
}
constexpr const char* stage_of(const paco::detail::fit_rows_kernel&) { return "fit_us"; }
constexpr const char* stage_of(const paco::detail::write_tables_kernel&) { return "fit_us"; }
constexpr const char* stage_of(const paco::detail::read_tables_kernel&) { return "fit_us"; }

/// Runs kernels with an event between each two.
class stage_timer {
 public:
  explicit stage_timer(const gpuimg::cuda& execution) : execution_(execution) {}

  template <class Kernel>
  void operator()(const simt::grid_extent& grid, const Kernel& kernel) {
    if (marks_.empty()) { mark(""); }
    simt::launch(execution_, grid, kernel);
    mark(stage_of(kernel));
  }
  /// Adds the stages' microseconds. @returns their sum.
  double finish(std::map<std::string, double>& stages) {
    simt::check_cuda(cudaStreamSynchronize(execution_.stream), "stages");
    double sum = 0;
    for (std::size_t i = 1; i < marks_.size(); ++i) {
      float ms = 0;
      simt::check_cuda(cudaEventElapsedTime(&ms, marks_[i - 1].second, marks_[i].second), "event");
      stages[marks_[i].first] += 1000.0 * ms;
      sum += 1000.0 * ms;
    }
    for (const auto& m : marks_) { cudaEventDestroy(m.second); }
    marks_.clear();
    return sum;
  }

 private:
  void mark(const char* stage) {
    cudaEvent_t event = nullptr;
    simt::check_cuda(cudaEventCreate(&event), "event");
    simt::check_cuda(cudaEventRecord(event, execution_.stream), "event");
    marks_.emplace_back(stage, event);
  }

  const gpuimg::cuda& execution_;
  std::vector<std::pair<std::string, cudaEvent_t>> marks_;
};

/// Everything of one picture on the device.
template <class Codec, class S, class T>
struct device_job {
  device_job(const picture& p)
      : header(paco::header_for<Codec>({p.width, p.height, p.components, p.depth, false}, options)),
        layout(paco::layout_tile(header, p.width, p.height)),
        samples(execution, p.bytes.size()),
        encoder_bytes(execution, paco::detail::encoder_memory<T>(nullptr, header, layout).bytes),
        decoder_bytes(execution, paco::detail::decoder_memory<T>(nullptr, header, layout).bytes),
        segment(execution, paco::tile_bound(header, p.width, p.height)),
        decoded(execution, p.bytes.size()),
        encoder_memory(encoder_bytes.data(), header, layout),
        decoder_memory(decoder_bytes.data(), header, layout),
        encoder(header, layout, options, encoder_memory),
        decoder(header, layout, decoder_memory),
        view(samples.template data<S>(), p.width, p.height, p.components, interleave::bip),
        back(decoded.template data<S>(), p.width, p.height, p.components, interleave::bip) {
    const auto copy = [](void* to, const void* from, std::size_t bytes) {
      simt::check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "upload");
    };
    copy(samples.data(), p.bytes.data(), p.bytes.size());
    encoder.upload(copy);
    decoder.upload(copy);
  }

  template <class Run>
  void encode(Run& run) {
    encoder.encode([&](const auto& g, const auto& k) { run(g, k); }, cube_view<const S>(view), 0,
                   segment.template data<std::uint16_t>());
  }
  template <class Run>
  void decode(Run& run) {
    std::byte front[48];
    simt::check_cuda(cudaMemcpy(front, segment.data(), sizeof(front), cudaMemcpyDefault), "header");
    std::uint64_t size = 0;
    simt::check_cuda(cudaMemcpy(&size, encoder_memory.size, sizeof(size), cudaMemcpyDefault), "size");
    const auto u64 = [&](std::size_t at) { return load_little<std::uint64_t>(front + at); };
    const paco::tile_header t{
        0,      front[24] == std::byte{1}, front[25] == std::byte{1}, load_little<std::uint32_t>(front + 28), u64(32),
        u64(40)};
    decoder.decode([&](const auto& g, const auto& k) { run(g, k); }, t, segment.template data<std::uint16_t>() + 24,
                   back);
  }
  std::uint64_t stream_bytes() const {
    std::uint64_t size = 0;
    simt::check_cuda(cudaMemcpy(&size, encoder_memory.size, sizeof(size), cudaMemcpyDefault), "size");
    return size;
  }

  gpuimg::cuda execution{};
  paco::encode_options options{};
  paco::stream_header header;
  paco::tile_layout layout;
  simt::device_buffer samples;
  simt::device_buffer encoder_bytes;
  simt::device_buffer decoder_bytes;
  simt::device_buffer segment;
  simt::device_buffer decoded;
  paco::detail::encoder_memory<T> encoder_memory;
  paco::detail::decoder_memory<T> decoder_memory;
  paco::detail::device_tile_encoder<Codec, T> encoder;
  paco::detail::device_tile_decoder<Codec, T> decoder;
  cube_view<S> view;
  cube_view<S> back;
};

double copy_microseconds(void* to, const void* from, std::size_t bytes) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int i = 0; i < 3; ++i) { cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice); }
  cudaEventRecord(begin);
  for (int i = 0; i < 20; ++i) { cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice); }
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return 1000.0 * ms / 20;
}

template <class Codec, class S, class T>
void run_stages(benchmark::State& state, const picture& p, bool decoding) {
  device_job<Codec, S, T> job(p);
  stage_timer timer(job.execution);
  std::map<std::string, double> stages;
  job.encode(timer);
  timer.finish(stages);
  job.decode(timer);
  timer.finish(stages);
  std::vector<std::uint8_t> back(p.bytes.size());
  simt::check_cuda(cudaMemcpy(back.data(), job.decoded.data(), back.size(), cudaMemcpyDefault), "decoded picture");
  if (back != p.bytes) {
    state.SkipWithError("the decoded picture differs");
    return;
  }
  stages.clear();
  double total = 0;
  for (auto _ : state) {
    decoding ? job.decode(timer) : job.encode(timer);
    const double us = timer.finish(stages);
    total += us;
    state.SetIterationTime(1e-6 * us);
  }
  const auto n = static_cast<double>(state.iterations());
  for (const auto& [name, us] : stages) { state.counters[name] = us / n; }
  const auto samples = static_cast<double>(p.width * p.height * p.components);
  state.counters["GS/s"] = samples * n / total / 1000.0;
  state.counters["bits/sample"] = 8.0 * static_cast<double>(job.stream_bytes()) / samples;
  state.counters["workspace_B/sample"] =
      static_cast<double>(decoding ? job.decoder_bytes.size() : job.encoder_bytes.size()) / samples;
  state.counters["copy_us"] = copy_microseconds(job.decoded.data(), job.samples.data(), p.bytes.size());
}

template <class Codec>
void add(const std::string& name, const std::shared_ptr<const picture>& p) {
  for (const bool decoding : {false, true}) {
    benchmark::RegisterBenchmark((name + (decoding ? "/decode" : "/encode")).c_str(),
                                 [p, decoding](benchmark::State& state) {
                                   if (p->depth <= 8) {
                                     run_stages<Codec, std::uint8_t, std::int16_t>(state, *p, decoding);
                                   } else {
                                     run_stages<Codec, std::uint16_t, std::int32_t>(state, *p, decoding);
                                   }
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->Iterations(30);
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) { return 1; }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "benchmark_paco: no CUDA device\n");
    return 77;
  }
  cudaDeviceProp properties{};
  cudaGetDeviceProperties(&properties, 0);
  std::printf("device: %s\n", properties.name);
  try {
    using shipped = codec_of<64, false>;
    if (const char* path = std::getenv("GPUIMG_PICTURE")) {
      const auto file = std::make_shared<picture>(read_ppm(path));
      add<shipped>("file", file);
      add<codec_of<64, true>>("file_compact_refinement", file);
      add<codec_of<32, false>>("file_blocks_32", file);
    }
    add<shipped>("4k_gray", std::make_shared<picture>(make_picture(3840, 2160, 1, 8)));
    add<shipped>("4k_rgb", std::make_shared<picture>(make_picture(3840, 2160, 3, 8)));
    add<shipped>("8k_gray", std::make_shared<picture>(make_picture(7680, 4320, 1, 8)));
    add<shipped>("8k_rgb", std::make_shared<picture>(make_picture(7680, 4320, 3, 8)));
    add<shipped>("4k_rgb16", std::make_shared<picture>(make_picture(3840, 2160, 3, 16)));
    benchmark::RunSpecifiedBenchmarks();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "benchmark_paco: %s\n", e.what());
    return 1;
  }
  return 0;
}
