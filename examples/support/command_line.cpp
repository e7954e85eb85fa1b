#include "command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "partial_files.hpp"

#include "gpuimg/core/version.hpp"

namespace gpuimg::examples {

namespace {

int fail(const CLI::App& app, std::string what, int status) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), what.c_str());
  return status;
}

}  // namespace

void require(bool good, const char* option, const std::string& problem) {
  if (!good) throw CLI::ValidationError(option, problem);
}

void add_device(CLI::App& command, std::string& device, unsigned& threads) {
  command.add_option("--device", device, "auto (CUDA where there is a device), host, cuda or cuda:<number>")
      ->capture_default_str();
  command.add_option("--threads", threads, "threads of the host; 0 is one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

std::optional<int> parse_device(const std::string& text) {
  if (text == "auto") return std::nullopt;
  if (text == "host") return -1;
  int number = 0;
  const bool good = text == "cuda" || (text.starts_with("cuda:") && parse_number(text.substr(5), number));
  require(good, "--device", text + " is not auto, host, cuda or cuda:<number>");
  return number;
}

void add_version(CLI::App& app) {
  app.set_version_flag("--version", app.get_name() + " " + std::to_string(GPUIMG_VERSION_MAJOR) + "." +
                                        std::to_string(GPUIMG_VERSION_MINOR) + "." +
                                        std::to_string(GPUIMG_VERSION_PATCH));
}

int run_program(const CLI::App& app, const std::function<int()>& work) {
  remove_partial_files_on_signals();
  try {
    const int status = work();
    if (std::fflush(stdout) != 0) return fail(app, "cannot write to standard output", 1);
    return status;
  } catch (const CLI::Error& problem) {
    if (problem.get_exit_code() == 0) return app.exit(problem);  // --help, --version
    return fail(app, std::string(problem.what()) + " (see " + app.get_name() + " --help)", 2);
  } catch (const std::bad_alloc&) { return fail(app, "out of memory", 1); } catch (const std::exception& problem) {
    return fail(app, problem.what(), 1);
  }
}

}  // namespace gpuimg::examples
