/// @file
/// What the commands tell: one line for people or one JSON object, and how far they are.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuimg::examples {

/// Members of a JSON object in the order in which they come.
class json_members {
 public:
  json_members& add(std::string_view name, std::int64_t value) { return member(name, std::to_string(value)); }
  json_members& add(std::string_view name, double value);
  json_members& add(std::string_view name, bool value) { return member(name, value ? "true" : "false"); }
  json_members& add(std::string_view name, std::string_view value) { return member(name, quoted(value)); }
  json_members& add(std::string_view name, const char* value) { return add(name, std::string_view(value)); }

  std::string text() const { return "{" + members_ + "}"; }

 private:
  json_members& member(std::string_view name, const std::string& value);
  static std::string quoted(std::string_view text);

  std::string members_;
};

/// Says on a terminal how far long work is and how fast; silent where the standard error is none, and in the first
/// second.
class progress_line {
 public:
  explicit progress_line(std::string what);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void show(std::uint64_t done, std::uint64_t all);
  double seconds() const;

 private:
  using clock = std::chrono::steady_clock;

  std::string what_;
  bool enabled_;
  bool shown_ = false;
  clock::time_point start_ = clock::now();
  double next_ = 1;
};

inline constexpr std::string_view type_names[] = {"u8", "u16", "i16"};
inline constexpr std::string_view order_names[] = {"bsq", "bil", "bip"};
inline constexpr std::string_view mode_names[] = {"lossless", "near-lossless", "lossy"};

}  // namespace gpuimg::examples
