#include <charconv>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>

#include "job.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {

bool kernel_file::is_integer() const noexcept {
  for (const double v : values) {
    if (v != std::floor(v) || std::abs(v) > 2147483647.0) { return false; }
  }
  return true;
}

kernel_file read_kernel(const std::string& path) {
  std::ifstream in(path);
  if (!in) { throw error(errc::io, path + ": cannot be opened"); }
  kernel_file kernel;
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    std::string_view rest = std::string_view(text).substr(0, text.find('#'));
    int count = 0;
    while (true) {
      const auto start = rest.find_first_not_of(" \t\r,");
      if (start == std::string_view::npos) { break; }
      rest.remove_prefix(start + (rest[start] == '+' ? 1 : 0));
      double value = 0;
      const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
      const auto length = static_cast<std::size_t>(end - rest.data());
      const bool ends =
          length == rest.size() || std::string_view(" \t\r,").find(rest[length]) != std::string_view::npos;
      if (fault != std::errc() || !ends || !std::isfinite(value)) {
        throw error(errc::invalid_argument,
                    path + ": line " + std::to_string(line) + ": \"" + std::string(rest) + "\" is no number");
      }
      kernel.values.push_back(value);
      ++count;
      rest.remove_prefix(length);
    }
    if (count == 0) { continue; }
    if (kernel.height > 0 && count != kernel.width) {
      throw error(errc::invalid_argument, path + ": line " + std::to_string(line) + " has " + std::to_string(count) +
                                              " numbers, those above " + std::to_string(kernel.width));
    }
    kernel.width = count;
    ++kernel.height;
  }
  if (in.bad()) { throw error(errc::io, path + ": cannot be read"); }
  if (kernel.height == 0) { throw error(errc::invalid_argument, path + ": no numbers"); }
  return kernel;
}

}  // namespace gpuimg::examples
