#include "report.hpp"

#include <array>
#include <cmath>
#include <sys/resource.h>
#include <unistd.h>

namespace gpuimg::examples {

namespace {

/// Length of the UTF-8 sequence at the front of `text`, 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = at(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0u) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies above U+10FFFF.
  const bool illegal = (lead == 0xE0 && at(1) < 0xA0) || (lead == 0xED && at(1) >= 0xA0) ||
                       (lead == 0xF0 && at(1) < 0x90) || (lead == 0xF4 && at(1) >= 0x90);
  return illegal ? 0 : length;
}

}  // namespace

json::json(double value) {
  if (!std::isfinite(value)) return;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", value);
  text_ = text.data();
}

json::json(std::string_view text) : text_("\"") {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto c = static_cast<unsigned char>(text.front());
    if (length == 0) {
      text_ += "\\ufffd";
    } else if (c < 0x20 || c == 0x7F) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      text_ += escape.data();
    } else {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

json::json(const std::vector<json>& values) : text_("[") {
  for (const json& v : values) {
    if (text_.size() > 1) text_ += ", ";
    text_ += v.text();
  }
  text_ += ']';
}

json_object& json_object::add(std::string_view name, const json& value) {
  if (!members_.empty()) members_ += ", ";
  members_ += json(name).text() + ": " + value.text();
  return *this;
}

json json_object::value() const {
  json object;
  object.text_ = "{" + members_ + "}";
  return object;
}

std::uint64_t peak_bytes() noexcept {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
  return static_cast<std::uint64_t>(usage.ru_maxrss);
#else
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

std::string short_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  constexpr std::array<const char*, 7> units = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g %s", value, units[unit]);
  return text.data();
}

progress::progress(std::string what, bool counts_bytes)
    : what_(std::move(what)), counts_bytes_(counts_bytes), enabled_(isatty(STDERR_FILENO) == 1) {}

progress::~progress() {
  // Clears the line.
  if (shown_) std::fputs("\r\033[K", stderr);
}

void progress::show(std::int64_t done, std::int64_t all) {
  if (!enabled_ || watch_.seconds() < next_) return;
  next_ = watch_.seconds() + 0.2;
  const double share = all > 0 ? 100.0 * static_cast<double>(done) / static_cast<double>(all) : 0;
  std::fprintf(stderr, "\r%s %3.0f %%", what_.c_str(), share);
  if (counts_bytes_) std::fprintf(stderr, ", %.0f MB/s\033[K", static_cast<double>(done) / watch_.seconds() / 1e6);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace gpuimg::examples
