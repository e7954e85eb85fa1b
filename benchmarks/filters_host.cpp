// Filters on one core of the host: pictures of 2048 x 1024 with random content; medians, whole kernels, products of a
// row and a column, Gaussians and means of k x k. Of medians "plain" is the code without AVX2. Beside OpenCV and SciPy:
// filters_host.py.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/host_isa.hpp"
#include "gpuimg/filter/detail/median_host_rows.hpp"
#include "gpuimg/filter/median.hpp"
#include "gpuimg/filter/smoothing.hpp"

namespace {

using namespace gpuimg;

constexpr std::int64_t width = 2048;
constexpr std::int64_t height = 1024;

template <class T>
std::vector<T> random_picture() {
  std::mt19937 random(1);
  std::vector<T> samples(static_cast<std::size_t>(width * height));
  for (T& sample : samples) {
    const auto bits = static_cast<std::uint32_t>(random());
    if constexpr (std::is_floating_point_v<T>) {
      sample = static_cast<T>(bits) / static_cast<T>(4294967296.0);
    } else {
      sample = static_cast<T>(bits >> 8);
    }
  }
  return samples;
}

template <class T>
using filter_call = std::function<void(const image_view<const T>&, const image_view<T>&)>;

template <class T>
void add(const std::string& name, const filter_call<T>& call) {
  benchmark::RegisterBenchmark(name.c_str(), [call](benchmark::State& state) {
    const std::vector<T> source = random_picture<T>();
    std::vector<T> result(source.size());
    const image_view<const T> from(source.data(), width, height);
    const image_view<T> to(result.data(), width, height);
    call(from, to);
    for (auto _ : state) {
      call(from, to);
      benchmark::ClobberMemory();
    }
    state.counters["MP/s"] =
        benchmark::Counter(static_cast<double>(width * height) * 1e-6, benchmark::Counter::kIsIterationInvariantRate);
  });
}

/// Positive coefficients of sum 1, without a structure that could be made use of.
std::vector<float> random_kernel(std::size_t taps) {
  std::mt19937 random(2);
  std::vector<float> coefficients(taps);
  double sum = 0;
  for (float& c : coefficients) {
    c = 1.0f + static_cast<float>(random() >> 8) * 0x1p-24f;
    sum += static_cast<double>(c);
  }
  for (float& c : coefficients) { c = static_cast<float>(static_cast<double>(c) / sum); }
  return coefficients;
}

template <class T, int K>
void add_plain_median(const std::string& type) {
  add<T>("median_plain/" + type + "/" + std::to_string(K), [](const auto& from, const auto& to) {
    const filter::detail::bordered_bands<T> bands{cube_view<const T>(from), filter::border::replicate, T{}};
    filter::detail::host_row_filter<T, K, K, filter::median_rank(K * K)>(
        bands, cube_view<T>(to), filter::detail::frame_of(filter::window_size{K, K}), filter::nan_policy::propagate,
        filter::detail::host_isa::plain)
        .run(1);
  });
}

template <class T>
void add_all(const std::string& type) {
  add_plain_median<T, 3>(type);
  add_plain_median<T, 5>(type);
  add_plain_median<T, 7>(type);
  const host one_core{1};
  for (const int k : {3, 5, 7, 9, 15, 21, 31}) {
    add<T>("median/" + type + "/" + std::to_string(k), [=](const auto& from, const auto& to) {
      filter::median(one_core, from, to, filter::window_size{k, k}, filter::border::replicate);
    });
  }
  for (const int k : {3, 5, 7, 9, 15, 31}) {
    const std::string end = "/" + type + "/" + std::to_string(k);
    const auto side = static_cast<std::size_t>(k);
    add<T>("whole" + end, [=, coefficients = random_kernel(side * side)](const auto& from, const auto& to) {
      filter::correlate(one_core, from, to, filter::kernel_view(coefficients.data(), k, k));
    });
    const std::vector<float> line = random_kernel(side);
    add<T>("product" + end, [=](const auto& from, const auto& to) {
      filter::correlate(one_core, from, to, filter::separable_kernel<float>(line, line));
    });
    add<T>("gaussian" + end, [=](const auto& from, const auto& to) {
      // Of k taps: the radius is floor(truncate * sigma + 0.5).
      filter::correlate(one_core, from, to, filter::gaussian_kernel<float>(k / 6.0, k / 6.0, (k / 2) * 6.0 / k));
    });
    add<T>("box" + end, [=](const auto& from, const auto& to) {
      filter::box(one_core, from, to, filter::window_size{k, k});
    });
  }
}

}  // namespace

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) { return 1; }
  add_all<std::uint8_t>("u8");
  add_all<std::uint16_t>("u16");
  add_all<float>("f32");
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
