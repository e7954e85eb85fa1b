/// @file
/// The readers and writers of each kind of file, as picture_io.cpp finds them. Internal to the support library.
#pragma once

#include <memory>
#include <string>

#include "byte_file.hpp"
#include "picture_io.hpp"

namespace gpuimg::examples::detail {

std::unique_ptr<picture_reader> open_png(input_file file, const read_limits& limits);
std::unique_ptr<picture_reader> open_pnm(input_file file, const read_limits& limits);
std::unique_ptr<picture_reader> open_pam(input_file file, const read_limits& limits);
std::unique_ptr<picture_reader> open_tiff(input_file file, const read_limits& limits);

// The format has been checked against the kind before these are called.
std::unique_ptr<picture_writer> create_png(const std::string& path, const picture_format& format, int level);
std::unique_ptr<picture_writer> create_netpbm(const std::string& path, const picture_format& format, file_kind kind);
std::unique_ptr<picture_writer> create_tiff(const std::string& path, const picture_format& format);

/// Refuses what a header promises when it is empty, does not fit into 64 bits, or has rows above the limit.
/// @throws error corrupt, out_of_memory.
void check_size(const std::string& name, const picture_format& format, const read_limits& limits);

/// Refuses a buffer of `height` rows of `row_bytes` bytes that is above the limit.
/// @throws error out_of_memory.
void check_buffer(const std::string& name, std::int64_t row_bytes, std::int64_t height, const read_limits& limits);

}  // namespace gpuimg::examples::detail
