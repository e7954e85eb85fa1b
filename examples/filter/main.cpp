// gpuimg-filter: medians, ranks and convolutions of picture files.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "job.hpp"
#include "support/partial_files.hpp"
#include "support/picture_io.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/version.hpp"

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

template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size() && value >= T{0};
}

void require(bool good, const char* option, const std::string& problem) {
  if (!good) throw CLI::ValidationError(option, problem);
}

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
  command.add_option("--device", c.device, "auto (CUDA where there is a device), host, cuda or cuda:<number>")
      ->capture_default_str();
  command.add_option("--threads", c.threads, "threads of the host; 0 is one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
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
  if (c.device == "host") { return -1; }
  if (c.device == "auto") { return cuda_device_count() > 0 && !format.is_signed && format.depth <= 16 ? 0 : -1; }
  const std::string_view text = c.device;
  int device = 0;
  require(text == "cuda" || (text.starts_with("cuda:") && parse_number(text.substr(5), device)), "--device",
          c.device + " is not auto, host, cuda or cuda:<number>");
  return device;
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

int fail(const std::string& what, int status) {
  std::string line = what;
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::fprintf(stderr, "gpuimg-filter: %s\n", line.c_str());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  remove_partial_files_on_signals();
  CLI::App app{"Filters pictures: each component by itself, opacity too.", "gpuimg-filter"};
  app.set_version_flag("--version", "gpuimg-filter " + std::to_string(GPUIMG_VERSION_MAJOR) + "." +
                                        std::to_string(GPUIMG_VERSION_MINOR) + "." +
                                        std::to_string(GPUIMG_VERSION_PATCH));
  app.require_subcommand(1);
  app.footer("Exit status: 0 done, 1 failed, 2 wrong usage.");
  command_line c;
  add_command(app, c, filter_command::median, "median", "the median of a window");
  add_command(app, c, filter_command::rank, "rank", "any order statistic of a window: erosion, dilation, ...");
  add_command(app, c, filter_command::convolve, "convolve", "sums by a kernel, turned by half a turn");
  add_command(app, c, filter_command::correlate, "correlate", "sums by a kernel as it is written");
  add_command(app, c, filter_command::box, "box", "the mean of a window");
  add_command(app, c, filter_command::gaussian, "gaussian", "smooth by a Gaussian");
  try {
    app.parse(argc, argv);
    run(c);
    if (std::fflush(stdout) != 0) return fail("cannot write to standard output", 1);
    return 0;
  } catch (const CLI::Error& problem) {
    if (problem.get_exit_code() == 0) return app.exit(problem);  // --help, --version
    return fail(std::string(problem.what()) + " (see gpuimg-filter --help)", 2);
  } catch (const std::bad_alloc&) { return fail("out of memory", 1); } catch (const std::exception& problem) {
    return fail(problem.what(), 1);
  }
}
