#include "report.hpp"

#include <cstdio>
#include <unistd.h>
#include <utility>

namespace gpuimg::examples {

json_members& json_members::add(std::string_view name, double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return member(name, text);
}

json_members& json_members::member(std::string_view name, const std::string& value) {
  members_ += (members_.empty() ? "" : ", ") + quoted(name) + ": " + value;
  return *this;
}

std::string json_members::quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(byte));
      result += escape;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

progress_line::progress_line(std::string what) : what_(std::move(what)), enabled_(isatty(STDERR_FILENO) != 0) {}

progress_line::~progress_line() {
  if (shown_) { std::fputs("\r\x1b[K", stderr); }
}

double progress_line::seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

void progress_line::show(std::uint64_t done, std::uint64_t all) {
  const double now = seconds();
  if (!enabled_ || now < next_) { return; }
  next_ = now + 0.2;
  shown_ = true;
  const auto part = static_cast<double>(done) / static_cast<double>(all == 0 ? 1 : all);
  std::fprintf(stderr, "\r%s %3.0f %%, %.0f MB/s\x1b[K", what_.c_str(), 100 * part,
               static_cast<double>(done) / now / 1e6);
}

}  // namespace gpuimg::examples
