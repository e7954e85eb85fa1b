// Region snakes: device and host, prefix images included, on noisy stars whose contrast is that of the noise.
//
//   benchmark_snake_benchmark [--pictures DIRECTORY]
//
// prints a table; with a directory, also writes the pictures, their truths and starts (PGM and text), for
// benchmarks/snake/peers.py to run other programs on. Times are medians; of the device by CUDA events, from a picture
// in device memory to the last node in device memory.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime_api.h>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/oracle/snake_pictures.hpp"

#include "gpuimg/segment/rectangle_search.hpp"
#include "gpuimg/segment/region_measures.hpp"
#include "gpuimg/segment/snake.cuh"
#include "gpuimg/segment/snake.hpp"

namespace {

using gpuimg::image_view;
using gpuimg::polygon;
using gpuimg::rectangle;
using gpuimg::snake_result;
using gpuimg::snake_start;
using gpuimg::simt::check_cuda;
using scene = oracle::scene<std::uint8_t>;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Milliseconds of the device for a job, after one run to warm up.
class device_timer {
 public:
  explicit device_timer(cudaStream_t stream) : stream_(stream) {
    check_cuda(cudaEventCreate(&begin_), "event");
    check_cuda(cudaEventCreate(&end_), "event");
  }
  device_timer(const device_timer&) = delete;
  device_timer& operator=(const device_timer&) = delete;
  ~device_timer() {
    static_cast<void>(cudaEventDestroy(begin_));
    static_cast<void>(cudaEventDestroy(end_));
  }

  double measure(int rounds, const std::function<void()>& job) const {
    job();
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
      check_cuda(cudaEventRecord(begin_, stream_), "event");
      job();
      check_cuda(cudaEventRecord(end_, stream_), "event");
      check_cuda(cudaEventSynchronize(end_), "job");
      float ms = 0;
      check_cuda(cudaEventElapsedTime(&ms, begin_, end_), "event");
      times.push_back(ms);
    }
    return median(times);
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

double measure_host(int rounds, const std::function<void()>& job) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    job();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return median(times);
}

/// A noisy star in the middle; noise of larger pictures is that of a tile, shifted from tile to tile.
scene make_star(int side) {
  constexpr int tile = 1024;
  const auto noise = oracle::make_scene<std::int16_t>(oracle::shape::disc, tile, tile, 5,
                                                      [](auto& n, bool) { return 30 * n.normal(); });
  scene s{side, side, {}, {}};
  s.samples.resize(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  s.truth.resize(s.samples.size());
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const auto i = static_cast<std::size_t>(y) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x);
      const bool in = oracle::belongs(oracle::shape::star, (2.0 * x + 1) / side - 1, (2.0 * y + 1) / side - 1);
      const int shift = 37 * (x / tile) + 411 * (y / tile);
      const int v = noise.samples[static_cast<std::size_t>((y + shift) % tile * tile + (x + 2 * shift) % tile)];
      s.truth[i] = in ? 255 : 0;
      s.samples[i] = static_cast<std::uint8_t>(std::clamp(100 + v + (in ? 30 : 0), 0, 255));
    }
  }
  return s;
}

/// 1000 discs, 64 to 118 pixels across, each in a world of its own: more does not fit into 4096 x 4096 pixels.
scene make_discs(int side, std::vector<snake_start>& starts) {
  scene s = make_star(side);
  oracle::noise_source random(3);
  for (std::size_t i = 0; i < s.samples.size(); ++i) {
    if (s.truth[i] != 0) { s.samples[i] = static_cast<std::uint8_t>(std::max(0, s.samples[i] - 30)); }
    s.truth[i] = 0;
  }
  const int cell = side / 32;
  for (int number = 0; number < 1000; ++number) {
    const int radius = cell / 4 + random.below(cell / 4 - 4);
    const int cx = number % 32 * cell + cell / 2;
    const int cy = number / 32 * cell + cell / 2;
    for (int y = cy - radius; y < cy + radius; ++y) {
      for (int x = cx - radius; x < cx + radius; ++x) {
        if (std::hypot(x - cx, y - cy) >= radius) { continue; }
        const auto i = static_cast<std::size_t>(y) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x);
        s.truth[i] = 255;
        s.samples[i] = static_cast<std::uint8_t>(std::min(255, s.samples[i] + 30));
      }
    }
    const int grown = radius + 3;
    const int world = cell / 2;
    starts.push_back({gpuimg::to_polygon({cx - grown, cy - grown, 2 * grown, 2 * grown}),
                      {cx - world, cy - world, 2 * world, 2 * world}});
  }
  return s;
}

double dice_of(const scene& s, const std::vector<snake_result>& found) {
  std::vector<std::uint8_t> mask(s.truth.size());
  std::vector<std::uint8_t> one(s.truth.size());
  for (const auto& r : found) {
    const auto box = gpuimg::bounding_box(r.nodes);
    gpuimg::fill_polygon(r.nodes, {one.data(), s.width, s.height});
    for (int y = box.y; y < box.bottom(); ++y) {
      const auto row = static_cast<std::size_t>(y) * static_cast<std::size_t>(s.width);
      for (auto i = row + static_cast<std::size_t>(box.x); i < row + static_cast<std::size_t>(box.right()); ++i) {
        mask[i] = static_cast<std::uint8_t>(mask[i] | one[i]);
      }
    }
  }
  return gpuimg::compare_masks({mask.data(), s.width, s.height}, {s.truth.data(), s.width, s.height}).dice();
}

void write_pgm(const std::string& path, const std::vector<std::uint8_t>& samples, int side) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) { throw gpuimg::error(gpuimg::errc::io, path + ": cannot be written"); }
  std::fprintf(file, "P5\n%d %d\n255\n", side, side);
  const bool whole = std::fwrite(samples.data(), 1, samples.size(), file) == samples.size();
  if (std::fclose(file) != 0 || !whole) { throw gpuimg::error(gpuimg::errc::io, path + ": cannot be written"); }
}

bool same(const std::vector<snake_result>& a, const std::vector<snake_result>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
           return x.nodes == y.nodes && x.criterion == y.criterion;
         });
}

/// Runs one row of the table.
template <int Threads>
void run(const char* name, const scene& s, const std::vector<snake_start>& starts, cudaStream_t stream, int rounds) {
  const gpuimg::cuda execution{.stream = stream};
  gpuimg::simt::device_buffer samples(execution, s.samples.size());
  check_cuda(cudaMemcpyAsync(samples.data(), s.samples.data(), s.samples.size(), cudaMemcpyDefault, stream), "upload");
  const image_view<const std::uint8_t> on_device(samples.data<std::uint8_t>(), s.width, s.height);
  const image_view<const std::uint8_t> on_host(s.samples.data(), s.width, s.height);
  gpuimg::device_snakes<gpuimg::gaussian, std::uint8_t, Threads> device(
      execution, {.width = s.width,
                  .height = s.height,
                  .starts = static_cast<std::int64_t>(starts.size()),
                  .max_nodes = starts.size() == 1 ? 4096 : 512});
  const device_timer timer(stream);
  const double prefix = timer.measure(rounds, [&] { device.load(on_device); });
  const double all = timer.measure(rounds, [&] {
    device.load(on_device);
    device.run(starts);
  });
  const auto found = device.results();
  gpuimg::snake_parameters parameters;
  parameters.max_nodes = starts.size() == 1 ? 4096 : 512;
  std::vector<snake_result> expected;
  const double host = measure_host(
      3, [&] { expected = gpuimg::snakes<gpuimg::gaussian>(gpuimg::host{}, on_host, starts, parameters); });
  std::int64_t nodes = 0;
  std::int64_t passes = 0;
  for (const auto& r : found) {
    nodes += static_cast<std::int64_t>(r.nodes.size());
    passes += r.passes;
  }
  std::printf("| %s | %d | %.3f | %.3f | %.3f | %.2f | %lld | %lld | %.4f | %s |\n", name, Threads, prefix,
              all - prefix, all, host, static_cast<long long>(nodes), static_cast<long long>(passes), dice_of(s, found),
              same(found, expected) ? "yes" : "NO");
  std::fflush(stdout);
}

void run_all(const std::string& directory) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, 0), "device");
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  std::printf("%s; host: %u threads. Times in ms.\n\n", properties.name, std::thread::hardware_concurrency());
  std::printf(
      "| job | threads a snake | prefix sums | snakes | device, in all | host, in all | nodes | passes | Dice | "
      "equals host |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
  for (const int side : {512, 2048, 4096, 10000}) {
    const scene star = make_star(side);
    const rectangle start{side / 10, side / 10, side - side / 5, side - side / 5};
    const std::vector<snake_start> starts{{gpuimg::to_polygon(start), {}}};
    const std::string name = "star " + std::to_string(side) + " x " + std::to_string(side);
    run<512>(name.c_str(), star, starts, stream, 9);
    if (!directory.empty() && side <= 4096) {
      write_pgm(directory + "/star_" + std::to_string(side) + ".pgm", star.samples, side);
      write_pgm(directory + "/star_" + std::to_string(side) + "_truth.pgm", star.truth, side);
    }
  }
  std::vector<snake_start> starts;
  const scene discs = make_discs(4096, starts);
  run<128>("1000 discs in 4096 x 4096", discs, starts, stream, 9);
  check_cuda(cudaStreamDestroy(stream), "stream");
}

}  // namespace

int main(int argc, char** argv) {
  const bool pictures = argc == 3 && std::strcmp(argv[1], "--pictures") == 0;
  if (argc != 1 && !pictures) {
    std::fprintf(stderr, "usage: %s [--pictures DIRECTORY]\n", argv[0]);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "no CUDA device\n");
    return 77;
  }
  try {
    run_all(pictures ? argv[2] : "");
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", argv[0], problem.what());
    return 1;
  }
  return 0;
}
