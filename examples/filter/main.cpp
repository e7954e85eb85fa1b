// gpuimg-filter: medians, ranks and convolutions of picture files.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "job.hpp"
#include "support/command_line.hpp"
#include "support/picture_io.hpp"

#include "gpuimg/core/error.hpp"

namespace {

using namespace gpuimg;
using namespace gpuimg::examples;

/// What the command line says, as text where CLI11 does not check it.
struct command_line {
  filter_job job;
  std::string input;
  std::string output;
  std::string size = "3";
  std::string border = "reflect";
  std::string kernel;
  std::string rank;
  std::string device = "auto";
  unsigned threads = 0;
  bool json = false;
};

void add_command(CLI::App& app, command_line& c, filter_command kind, const char* name, const char* what) {
  CLI::App& command = *app.add_subcommand(name, what);
  command.add_option("input", c.input, "PNG, PNM, PAM or TIFF file, or - for standard input")->required();
  command.add_option("output", c.output, "file to write: .png .pgm .ppm .pnm .pam .tif .tiff, or -")->required();
  const bool by_kernel = kind == filter_command::convolve || kind == filter_command::correlate;
  if (by_kernel) {
    command.add_option("--kernel", c.kernel, "file with rows of numbers; with integers alone sums are exact")
        ->required();
  } else if (kind == filter_command::gaussian) {
    command.add_option("--sigma", c.job.sigma, "standard deviation in pixels")->capture_default_str();
  } else {
    command.add_option("--size", c.size, "window: W or WxH")->capture_default_str();
  }
  if (kind == filter_command::rank) {
    command.add_option("--rank", c.rank, "min, median, max or a number from 0 (the least)")->required();
  }
  command.add_option("--border", c.border, "constant, replicate, reflect (edge repeated), reflect101 or wrap")
      ->check(CLI::IsMember({"constant", "replicate", "reflect", "reflect101", "wrap"}))
      ->capture_default_str();
  command.add_option("--value", c.job.value, "of a constant border")->capture_default_str();
  command.add_option("--iterations", c.job.iterations, "how often to filter, each time the last result")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  add_device(command, c.device, c.threads);
  command.add_flag("--json", c.json, "report as one JSON object");
  command.callback([&c, kind] { c.job.command = kind; });
}

/// Turns text into the job's numbers.
void finish(command_line& c) {
  const std::string_view size = c.size;
  const auto cross = size.find('x');
  auto& window = c.job.size;
  bool good = parse_number(size.substr(0, cross), window.width);
  window.height = window.width;
  if (cross != std::string_view::npos) { good = good && parse_number(size.substr(cross + 1), window.height); }
  require(good && window.width > 0 && window.height > 0, "--size", c.size + " is not a size such as 5 or 7x3");
  const std::vector<std::string> names{"constant", "replicate", "reflect", "reflect101", "wrap"};
  c.job.mode = static_cast<filter::border>(std::find(names.begin(), names.end(), c.border) - names.begin());
  if (c.job.command == filter_command::rank) {
    require(window.width <= filter::max_window_side && window.height <= filter::max_window_side, "--size",
            c.size + " is larger than " + std::to_string(filter::max_window_side));
    const std::int32_t count = window.width * window.height;
    const bool known = c.rank == "min" || c.rank == "median" || c.rank == "max";
    c.job.rank = c.rank == "max" ? count - 1 : c.rank == "median" ? count / 2 : 0;
    require(known || parse_number(c.rank, c.job.rank), "--rank", c.rank + " is not min, median, max or a number");
  }
  if (!c.kernel.empty()) { c.job.kernel = read_kernel(c.kernel); }
}

/// The CUDA device to work on; -1: the host.
int chosen_device(const command_line& c, const picture_format& format) {
  if (const auto named = parse_device(c.device)) { return *named; }
  return cuda_device_count() > 0 && !format.is_signed && format.depth <= 16 ? 0 : -1;
}

template <class S>
void clamp_samples(std::span<std::byte> bytes, std::int64_t low, std::int64_t high) {
  const std::span samples(reinterpret_cast<S*>(bytes.data()), bytes.size() / sizeof(S));
  for (S& s : samples) { s = static_cast<S>(std::clamp<std::int64_t>(s, low, high)); }
}

/// Brings samples into the range of the file's depth, which may be smaller than that of their type.
void clamp_to_depth(std::span<std::byte> bytes, const picture_format& format) {
  const std::int64_t span = std::int64_t{1} << (format.is_signed ? format.depth - 1 : format.depth);
  const std::int64_t high = format.maxval != 0 ? format.maxval : span - 1;
  const std::int64_t low = format.is_signed ? -span : 0;
  switch (format.bytes_per_sample()) {
    case 1:
      return format.is_signed ? clamp_samples<std::int8_t>(bytes, low, high)
                              : clamp_samples<std::uint8_t>(bytes, low, high);
    case 2:
      return format.is_signed ? clamp_samples<std::int16_t>(bytes, low, high)
                              : clamp_samples<std::uint16_t>(bytes, low, high);
    default: return clamp_samples<std::int32_t>(bytes, low, high);
  }
}

void run(command_line& c) {
  finish(c);
  const auto reader = picture_reader::open(c.input);
  const picture_format format = reader->format();
  std::vector<std::byte> in(static_cast<std::size_t>(format.bytes()));
  reader->read_rows(format.height, in);
  std::vector<std::byte> out(in.size());
  const int device = chosen_device(c, format);
  const auto begin = std::chrono::steady_clock::now();
  if (device < 0) {
    filter_on_host(c.job, format, in, out, c.threads);
  } else {
    filter_on_cuda(c.job, format, in, out, device);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  clamp_to_depth(out, format);
  const auto writer = picture_writer::open(c.output, format);
  writer->write_rows(format.height, out);
  writer->finish();
  std::FILE* report = c.output == "-" ? stderr : stdout;
  const std::string where = device < 0 ? "host" : "cuda:" + std::to_string(device);
  const double rate = seconds > 0 ? static_cast<double>(format.width * format.height) / seconds * 1e-6 : 0;
  std::fprintf(report,
               c.json ? "{\"width\": %lld, \"height\": %lld, \"components\": %d, \"depth\": %d, \"device\": \"%s\", "
                        "\"seconds\": %.6f, \"megapixels_per_second\": %.3f}\n"
                      : "%lld x %lld, %d components of %d bits, %s: %.4f s, %.1f megapixels/s\n",
               static_cast<long long>(format.width), static_cast<long long>(format.height), format.components,
               format.depth, where.c_str(), seconds, rate);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Filters pictures: each component by itself, opacity too.", "gpuimg-filter"};
  add_version(app);
  app.require_subcommand(1);
  app.footer("Exit status: 0 done, 1 failed, 2 wrong usage.");
  command_line c;
  add_command(app, c, filter_command::median, "median", "the median of a window");
  add_command(app, c, filter_command::rank, "rank", "any order statistic of a window: erosion, dilation, ...");
  add_command(app, c, filter_command::convolve, "convolve", "sums by a kernel, turned by half a turn");
  add_command(app, c, filter_command::correlate, "correlate", "sums by a kernel as it is written");
  add_command(app, c, filter_command::box, "box", "the mean of a window");
  add_command(app, c, filter_command::gaussian, "gaussian", "smooth by a Gaussian");
  return run_program(app, [&] {
    app.parse(argc, argv);
    run(c);
    return 0;
  });
}
