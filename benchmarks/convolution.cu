// Convolution on a CUDA device, device-resident: 4096 x 4096 (f32: data of 128 MiB; u8: rotated over four buffers),
// noise.
//
//   benchmark_convolution [--benchmark_filter=...] [--benchmark_format=json]
//
// The counter is samples a second. `copy` is a device-to-device copy, the ceiling of any filter. Names:
// type/kernel/side; whole: a kernel_view of side x side; unaligned: the same in rows that start anywhere; product: a
// row and a column; box: a mean.
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <string>
#include <type_traits>
#include <vector>

#include "gpuimg/filter/convolution.cuh"

namespace {

using namespace gpuimg;
constexpr std::int64_t side = 4096;

template <class T>
class pictures {
 public:
  static constexpr std::size_t count = 4;
  pictures() : buffer_(execution_, 2 * count * bytes()) {
    std::vector<T> noise(static_cast<std::size_t>(side * side));
    std::uint32_t state = 1;
    for (T& v : noise) {
      state = state * 1664525u + 1013904223u;
      v = static_cast<T>(state >> 24);
    }
    for (std::size_t i = 0; i < count; ++i) {
      simt::check_cuda(cudaMemcpy(view(i).data, noise.data(), bytes(), cudaMemcpyHostToDevice), "upload");
    }
  }
  image_view<T> view(std::size_t i) const { return {buffer_.template data<T>() + i * bytes() / sizeof(T), side, side}; }
  image_view<const T> source(std::size_t i) const { return view(i % count); }
  image_view<T> destination(std::size_t i) const { return view(count + i % count); }
  static constexpr std::size_t bytes() { return sizeof(T) * static_cast<std::size_t>(side * side); }

 private:
  gpuimg::cuda execution_{};
  simt::device_buffer buffer_;
};

/// Times calls of work(i); ten to an event pair, so that launches overlap as they do in a program.
template <class Work>
void measure(benchmark::State& state, const Work& work) {
  constexpr int calls = 10;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  simt::check_cuda(cudaEventCreate(&begin), "event");
  simt::check_cuda(cudaEventCreate(&end), "event");
  for (std::size_t i = 0; i < 4; ++i) { work(i); }
  for (auto _ : state) {
    simt::check_cuda(cudaEventRecord(begin), "event");
    for (std::size_t i = 0; i < calls; ++i) { work(i); }
    simt::check_cuda(cudaEventRecord(end), "event");
    simt::check_cuda(cudaEventSynchronize(end), "convolution");
    float milliseconds = 0;
    simt::check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "event");
    state.SetIterationTime(milliseconds * 1e-3);
  }
  state.counters["samples"] =
      benchmark::Counter(static_cast<double>(calls * side * side), benchmark::Counter::kIsIterationInvariantRate);
  static_cast<void>(cudaEventDestroy(begin));
  static_cast<void>(cudaEventDestroy(end));
}

template <class C>
std::vector<C> coefficients(std::int64_t count) {
  std::vector<C> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const int v = static_cast<int>(i * 7 % 11) - 3;
    values.push_back(std::is_integral_v<C> ? static_cast<C>(v) : static_cast<C>(v) / static_cast<C>(count));
  }
  return values;
}

template <class T, class C>
void whole(benchmark::State& state) {
  const pictures<T> p;
  const auto k = static_cast<int>(state.range(0));
  const auto values = coefficients<C>(k * k);
  const filter::kernel_view<C> kernel(values.data(), k, k);
  measure(state, [&](std::size_t i) { filter::correlate(gpuimg::cuda{}, p.source(i), p.destination(i), kernel); });
}

template <class T>
void unaligned(benchmark::State& state) {
  const pictures<T> p;
  const auto k = static_cast<int>(state.range(0));
  const auto values = coefficients<float>(k * k);
  const filter::kernel_view<float> kernel(values.data(), k, k);
  const auto narrow = [](const auto& view) {
    using view_type = std::remove_cvref_t<decltype(view)>;
    return view_type(view.data, side - 1, side, (side - 1) * static_cast<std::int64_t>(sizeof(T)));
  };
  measure(state, [&](std::size_t i) {
    filter::correlate(gpuimg::cuda{}, narrow(p.source(i)), narrow(p.destination(i)), kernel);
  });
}

template <class T>
void product(benchmark::State& state) {
  const pictures<T> p;
  const auto k = static_cast<std::int64_t>(state.range(0));
  const filter::separable_kernel<float> kernel(coefficients<float>(k), coefficients<float>(k));
  measure(state, [&](std::size_t i) { filter::correlate(gpuimg::cuda{}, p.source(i), p.destination(i), kernel); });
}

template <class T>
void box(benchmark::State& state) {
  const pictures<T> p;
  const auto k = static_cast<int>(state.range(0));
  measure(state,
          [&](std::size_t i) { filter::box(gpuimg::cuda{}, p.source(i), p.destination(i), filter::window_size(k)); });
}

template <class T>
void copy(benchmark::State& state) {
  const pictures<T> p;
  measure(state, [&](std::size_t i) {
    simt::check_cuda(
        cudaMemcpyAsync(p.destination(i).data, p.source(i).data, p.bytes(), cudaMemcpyDeviceToDevice, nullptr), "copy");
  });
}

void sides(benchmark::internal::Benchmark* b) {
  for (const int k : {3, 5, 7, 9, 11, 13, 15, 31, 63, 127}) { b->Arg(k); }
  b->UseManualTime()->Unit(benchmark::kMicrosecond)->MinTime(0.05);
}
void small_sides(benchmark::internal::Benchmark* b) {
  for (const int k : {3, 5, 7, 9, 11, 13, 15, 31}) { b->Arg(k); }
  b->UseManualTime()->Unit(benchmark::kMicrosecond)->MinTime(0.05);
}

BENCHMARK(copy<float>)->Name("f32/copy")->UseManualTime()->Unit(benchmark::kMicrosecond)->MinTime(0.05);
BENCHMARK(copy<std::uint8_t>)->Name("u8/copy")->UseManualTime()->Unit(benchmark::kMicrosecond)->MinTime(0.05);
BENCHMARK(whole<float, float>)->Name("f32/whole")->Apply(sides);
BENCHMARK(whole<std::uint8_t, float>)->Name("u8/whole")->Apply(small_sides);
BENCHMARK(whole<std::uint8_t, std::int32_t>)->Name("u8/whole_integer")->Apply(small_sides);
BENCHMARK(whole<std::uint16_t, float>)->Name("u16/whole")->Apply(small_sides);
BENCHMARK(unaligned<std::uint8_t>)->Name("u8/unaligned")->Apply(small_sides);
BENCHMARK(unaligned<float>)->Name("f32/unaligned")->Apply(small_sides);
BENCHMARK(product<float>)->Name("f32/product")->Apply(sides);
BENCHMARK(product<std::uint8_t>)->Name("u8/product")->Apply(small_sides);
BENCHMARK(box<std::uint8_t>)->Name("u8/box")->Apply(small_sides);

}  // namespace

BENCHMARK_MAIN();
