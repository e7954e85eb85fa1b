/// @file
/// What the programs' command lines have in common: numbers, devices, and how main() ends.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace gpuimg::examples {

/// A whole number without sign that takes all of `text`.
template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size() && value >= T{0};
}

/// @throws CLI::ValidationError unless `good`
void require(bool good, const char* option, const std::string& problem);

/// Adds --device and --threads.
void add_device(CLI::App& command, std::string& device, unsigned& threads);

/// The number of the CUDA device that --device names, -1 for the host; nothing for auto.
/// @throws CLI::ValidationError
std::optional<int> parse_device(const std::string& text);

/// Adds --version.
void add_version(CLI::App& app);

/// The body of main(): runs `work`, which parses the command line and returns the exit status. What it throws becomes a
/// line on the standard error, and the status 2 for wrong usage or 1. Signals remove partial files.
int run_program(const CLI::App& app, const std::function<int()>& work);

}  // namespace gpuimg::examples
