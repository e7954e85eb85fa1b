// Medians on a CUDA device, device-resident: pixels a second against the window's side.
//
//   benchmark_median [--benchmark_filter=u8/5] [--benchmark_out=median.json --benchmark_out_format=json]
//
// Random pictures of 4096 x 4096 (GPUIMG_SIDE=8192 for another side); for natural content set GPUIMG_PICTURE to a
// binary PGM, which is repeated to that size. Each picture is checked at some pixels before it is timed.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <cstdlib>
#include <cuda_runtime.h>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gpuimg/filter/median.cuh"

namespace {

using namespace gpuimg;

std::int64_t side() {
  const char* const text = std::getenv("GPUIMG_SIDE");
  return text == nullptr ? 4096 : std::atoll(text);
}

std::vector<std::uint8_t> natural(std::int64_t& width, std::int64_t& height) {
  const char* const path = std::getenv("GPUIMG_PICTURE");
  if (path == nullptr) { return {}; }
  std::ifstream in(path, std::ios::binary);
  std::string magic;
  int most = 0;
  in >> magic >> width >> height >> most;
  in.get();
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(width * height));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in || magic != "P5" || most != 255) { throw error(errc::io, std::string(path) + " is no 8-bit PGM"); }
  return bytes;
}

template <class T>
struct pictures {
  std::int64_t n = side();
  std::vector<T> samples;
  gpuimg::cuda execution;
  simt::device_buffer source{execution};
  simt::device_buffer destination{execution};

  pictures() : samples(static_cast<std::size_t>(n * n)) {
    std::mt19937 random(1);
    std::int64_t width = 0;
    std::int64_t height = 0;
    const auto content = natural(width, height);
    for (std::int64_t y = 0; y < n; ++y) {
      for (std::int64_t x = 0; x < n; ++x) {
        auto bits = static_cast<std::uint32_t>(random());
        if (!content.empty()) {
          const std::uint32_t grey = content[static_cast<std::size_t>(y % height * width + x % width)];
          bits = sizeof(T) == 1 ? grey : grey << 8 | (bits & 0xFFu);
        }
        samples[static_cast<std::size_t>(y * n + x)] = static_cast<T>(bits);
      }
    }
    const std::size_t bytes = samples.size() * sizeof(T);
    source.reserve(bytes);
    destination.reserve(bytes);
    simt::check_cuda(cudaMemcpy(source.data(), samples.data(), bytes, cudaMemcpyDefault), "upload");
  }

  /// Whether some pixels of the result are right, border::reflect.
  bool right(const filter::window_size& size, int rank) const {
    std::vector<T> result(samples.size());
    simt::check_cuda(cudaMemcpy(result.data(), destination.data(), result.size() * sizeof(T), cudaMemcpyDefault),
                     "download");
    const filter::bordered_image<T> picture{image_view<const T>(samples.data(), n, n), filter::border::reflect};
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
      const auto x = static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
      const auto y = static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
      std::vector<T> window;
      for (int j = 0; j < size.height; ++j) {
        for (int column = 0; column < size.width; ++column) {
          window.push_back(picture(x - size.width / 2 + column, y - size.height / 2 + j));
        }
      }
      std::nth_element(window.begin(), window.begin() + rank, window.end());
      if (window[static_cast<std::size_t>(rank)] != result[static_cast<std::size_t>(y * n + x)]) { return false; }
    }
    return true;
  }
};

template <class T>
pictures<T>& shared_pictures() {
  static std::unique_ptr<pictures<T>> made;
  if (!made) { made = std::make_unique<pictures<T>>(); }
  return *made;
}

/// Times run(execution, source, destination), which takes rank `rank` of windows of some size.
template <class T, class Run>
void time_filter(benchmark::State& state, const filter::window_size& size, int rank, const Run& filter_once) {
  auto& p = shared_pictures<T>();
  const image_view<const T> source(p.source.template data<T>(), p.n, p.n);
  const image_view<T> destination(p.destination.template data<T>(), p.n, p.n);
  const auto run = [&] { filter_once(p.execution, source, destination); };
  simt::check_cuda(cudaMemset(p.destination.data(), 0x5A, p.samples.size() * sizeof(T)), "poison");
  run();
  if (!p.right(size, rank)) {
    state.SkipWithError("wrong result");
    return;
  }
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  simt::check_cuda(cudaEventCreate(&start), "event");
  simt::check_cuda(cudaEventCreate(&stop), "event");
  const auto seconds_of = [&](int calls) {
    simt::check_cuda(cudaEventRecord(start), "event");
    for (int i = 0; i < calls; ++i) { run(); }
    simt::check_cuda(cudaEventRecord(stop), "event");
    simt::check_cuda(cudaEventSynchronize(stop), "median");
    float milliseconds = 0;
    simt::check_cuda(cudaEventElapsedTime(&milliseconds, start, stop), "event");
    return milliseconds * 1e-3 / calls;
  };
  const int calls = seconds_of(1) < 1e-3 ? 10 : 1;  // an event takes some microseconds itself
  for (auto _ : state) { state.SetIterationTime(seconds_of(calls)); }
  static_cast<void>(cudaEventDestroy(start));
  static_cast<void>(cudaEventDestroy(stop));
  state.SetItemsProcessed(state.iterations() * p.n * p.n);
  const auto pixels = static_cast<double>(p.n * p.n);
  state.counters["workspace_a_pixel"] =
      static_cast<double>(filter::filter_workspace_size<T>(p.execution, p.n, p.n, 1, size)) / pixels;
}

template <class T>
void median(benchmark::State& state) {
  const filter::window_size size(static_cast<int>(state.range(0)));
  time_filter<T>(
      state, size, size.width * size.height / 2,
      [&](const auto& execution, const auto& from, const auto& to) { filter::median(execution, from, to, size); });
}

template <class T>
void rank(benchmark::State& state) {
  const filter::window_size size(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  const auto wanted = static_cast<int>(state.range(2));
  time_filter<T>(state, size, wanted, [&](const auto& execution, const auto& from, const auto& to) {
    filter::rank(execution, from, to, size, wanted);
  });
}

template <class T>
void sides(benchmark::internal::Benchmark* b) {
  for (const int k : {3, 5, 7, 9, 11, 13, 15, 17, 21, 31, 51, 65, 101, 141, 255}) { b->Arg(k); }
  b->UseManualTime()->MinTime(0.05)->Unit(benchmark::kMillisecond);
}

/// Width, height and rank: a minimum, a quartile, flat and tall windows.
void shapes(benchmark::internal::Benchmark* b) {
  b->Args({5, 5, 0})->Args({5, 5, 6})->Args({9, 3, 13})->Args({3, 9, 13})->Args({31, 7, 108})->Args({1, 15, 7});
  b->UseManualTime()->MinTime(0.05)->Unit(benchmark::kMillisecond);
}

BENCHMARK_TEMPLATE(median, std::uint8_t)->Name("u8")->Apply(sides<std::uint8_t>);
BENCHMARK_TEMPLATE(median, std::uint16_t)->Name("u16")->Apply(sides<std::uint16_t>);
BENCHMARK_TEMPLATE(median, float)->Name("f32")->Apply(sides<float>);
BENCHMARK_TEMPLATE(rank, std::uint8_t)->Name("rank_u8")->Apply(shapes);
BENCHMARK_TEMPLATE(rank, std::uint16_t)->Name("rank_u16")->Apply(shapes);
BENCHMARK_TEMPLATE(rank, float)->Name("rank_f32")->Apply(shapes);

}  // namespace

BENCHMARK_MAIN();
