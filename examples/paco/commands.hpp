/// @file
/// The commands of gpuimg-paco, their settings filled in by main.cpp. Each returns the program's exit status, 0 or 1,
/// and throws gpuimg::error.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "backend.hpp"
#include "support/picture_format.hpp"

#include "gpuimg/codec/paco/options.hpp"

namespace gpuimg::examples {

/// What a command prints besides errors.
enum class report_kind : std::uint8_t { none, text, json };

struct encode_settings {
  std::string input;
  std::string output;
  device_choice device;
  block_size block;
  paco::encode_options options;
  std::optional<bool> color_transform;  ///< nothing: for 3 and 4 components
  std::string tables = "auto";          ///< "auto", "default" or a file
  bool verify = false;
  report_kind report = report_kind::text;
};

/// Picture to stream.
int encode(encode_settings settings);

struct decode_settings {
  std::string input;
  std::string output;
  std::optional<file_kind> kind;
  device_choice device;
  std::uint64_t memory_limit = std::uint64_t{16} << 30;
  report_kind report = report_kind::text;
};

/// Stream to picture.
int decode(const decode_settings& settings);

struct info_settings {
  std::string input;
  bool check = false;
  std::uint64_t memory_limit = std::uint64_t{16} << 30;
  report_kind report = report_kind::text;
};

/// What a stream holds, without decoding it.
int info(const info_settings& settings);

struct compare_settings {
  std::string first;
  std::string second;
  report_kind report = report_kind::text;
};

/// Two pictures, sample by sample.
int compare(const compare_settings& settings);

}  // namespace gpuimg::examples
