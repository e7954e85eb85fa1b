/// @file
/// What the commands tell: JSON for programs, progress for people who wait.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace gpuimg::examples {

/// A JSON value as text; null by default.
class json {
 public:
  json() = default;
  json(double value);  ///< null when it is not finite
  json(bool value) : text_(value ? "true" : "false") {}
  json(std::integral auto value) : text_(std::to_string(value)) {}
  json(std::string_view text);  ///< bytes that are not UTF-8 (of a path) become U+FFFD
  json(const std::string& text) : json(std::string_view(text)) {}
  json(const char* text) : json(std::string_view(text)) {}
  json(const std::vector<json>& values);

  const std::string& text() const noexcept { return text_; }

 private:
  friend class json_object;
  std::string text_ = "null";
};

/// Members in the order in which they were added.
class json_object {
 public:
  json_object& add(std::string_view name, const json& value);
  json value() const;

 private:
  std::string members_;
};

/// Largest memory that this process has had, in bytes.
std::uint64_t peak_bytes() noexcept;

/// "12.3 MB": four characters for people, in powers of 1000.
std::string short_bytes(std::uint64_t bytes);

/// Seconds since construction.
class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
};

/// Adds the time of a scope to a total.
class timed_scope {
 public:
  explicit timed_scope(double& total) : total_(total) {}
  ~timed_scope() { total_ += watch_.seconds(); }
  timed_scope(const timed_scope&) = delete;
  timed_scope& operator=(const timed_scope&) = delete;

 private:
  double& total_;
  stopwatch watch_;
};

/// A line on a terminal that says how far long work is; nothing where the standard error is no terminal, nor in the
/// first second.
class progress {
 public:
  /// Steps that are bytes show as a rate, too.
  explicit progress(std::string what, bool counts_bytes = false);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// `done` of `all` steps.
  void show(std::int64_t done, std::int64_t all);

 private:
  std::string what_;
  bool counts_bytes_;
  bool enabled_;
  stopwatch watch_;
  double next_ = 1.0;
  bool shown_ = false;
};

}  // namespace gpuimg::examples
