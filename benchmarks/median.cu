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

  /// Whether some pixels of the result are right; `k` x `k` windows, border::reflect.
  bool right(int k) const {
    std::vector<T> result(samples.size());
    simt::check_cuda(cudaMemcpy(result.data(), destination.data(), result.size() * sizeof(T), cudaMemcpyDefault),
                     "download");
    const filter::bordered_image<T> picture{image_view<const T>(samples.data(), n, n), filter::border::reflect};
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
      const auto x = static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
      const auto y = static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
      std::vector<T> window;
      for (int j = 0; j < k * k; ++j) { window.push_back(picture(x - k / 2 + j % k, y - k / 2 + j / k)); }
      std::nth_element(window.begin(), window.begin() + k * k / 2, window.end());
      if (window[static_cast<std::size_t>(k * k / 2)] != result[static_cast<std::size_t>(y * n + x)]) { return false; }
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

template <class T>
void median(benchmark::State& state) {
  auto& p = shared_pictures<T>();
  const auto k = static_cast<int>(state.range(0));
  const image_view<const T> source(p.source.template data<T>(), p.n, p.n);
  const image_view<T> destination(p.destination.template data<T>(), p.n, p.n);
  const auto run = [&] { filter::median(p.execution, source, destination, filter::window_size(k)); };
  simt::check_cuda(cudaMemset(p.destination.data(), 0x5A, p.samples.size() * sizeof(T)), "poison");
  run();
  if (!p.right(k)) {
    state.SkipWithError("wrong result");
    return;
  }
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  simt::check_cuda(cudaEventCreate(&start), "event");
  simt::check_cuda(cudaEventCreate(&stop), "event");
  for (auto _ : state) {
    simt::check_cuda(cudaEventRecord(start), "event");
    run();
    simt::check_cuda(cudaEventRecord(stop), "event");
    simt::check_cuda(cudaEventSynchronize(stop), "median");
    float milliseconds = 0;
    simt::check_cuda(cudaEventElapsedTime(&milliseconds, start, stop), "event");
    state.SetIterationTime(milliseconds * 1e-3);
  }
  static_cast<void>(cudaEventDestroy(start));
  static_cast<void>(cudaEventDestroy(stop));
  state.SetItemsProcessed(state.iterations() * p.n * p.n);
}

template <class T>
void sides(benchmark::internal::Benchmark* b) {
  for (const int k : {3, 5, 7, 9, 11, 13, 15, 17, 21, 31, 51, 101, 255}) { b->Arg(k); }
  b->UseManualTime()->MinTime(0.05)->Unit(benchmark::kMillisecond);
}

BENCHMARK_TEMPLATE(median, std::uint8_t)->Name("u8")->Apply(sides<std::uint8_t>);
BENCHMARK_TEMPLATE(median, std::uint16_t)->Name("u16")->Apply(sides<std::uint16_t>);
BENCHMARK_TEMPLATE(median, float)->Name("f32")->Apply(sides<float>);

}  // namespace

BENCHMARK_MAIN();
