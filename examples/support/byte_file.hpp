/// @file
/// Files of bytes for the example programs: input from a file or a pipe, and output that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partial_files.hpp"

namespace gpuimg::examples {

namespace detail {

/// Closes a C stream, but not the standard ones.
struct stream_closer {
  void operator()(std::FILE* stream) const noexcept;
};

using stream_handle = std::unique_ptr<std::FILE, stream_closer>;

}  // namespace detail

/// A file or pipe that is read forward, and where it is a regular file in any order.
class input_file {
 public:
  /// Opens `path`; "-" is the standard input.
  /// @throws error io.
  explicit input_file(const std::string& path);

  /// For messages: the path, or "standard input".
  const std::string& name() const noexcept { return name_; }

  /// Whether seek() works.
  bool seekable() const noexcept { return size_.has_value(); }

  /// Bytes in the file; nothing for a pipe.
  std::optional<std::uint64_t> size() const noexcept { return size_; }

  /// Bytes read so far, or where seek() went.
  std::uint64_t position() const noexcept { return position_; }

  /// Reads up to `bytes.size()` bytes; fewer only at the end of the input.
  /// @throws error io.
  std::size_t read(std::span<std::byte> bytes);

  /// Fills `bytes`.
  /// @throws error truncated, with the offset of the end, when the input is shorter; io.
  void read_exactly(std::span<std::byte> bytes);

  /// The next byte, or -1 at the end.
  /// @throws error io.
  int get();

  /// The next bytes, at most `count` (up to 4096), left in place.
  /// @throws error io, invalid_argument for a larger count.
  std::span<const std::byte> peek(std::size_t count);

  /// Goes to `offset` bytes from the start; it may lie beyond the end.
  /// @throws error io, unsupported for a pipe.
  void seek(std::uint64_t offset);

  /// Everything from here to the end.
  /// @throws error out_of_memory when that is more than `limit` bytes; io.
  std::vector<std::byte> read_all(std::uint64_t limit);

  /// Makes a pipe seekable: copies the rest of it to an unnamed temporary file that takes its place, with the
  /// present position as offset 0. A file that is seekable already is left as it is.
  /// @throws error io.
  void make_seekable();

 private:
  detail::stream_handle stream_;
  std::string name_;
  std::optional<std::uint64_t> size_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> ahead_;  // read from the stream, not yet handed out
};

/// An output file that is written under another name in the same directory, `<name>.partial-<process>`, and gets its
/// own with commit(). Without commit() the destructor removes it, and a signal that ends the program does where
/// remove_partial_files_on_signals() has been called. An existing file is replaced only by commit(); of a symbolic
/// link, the file that it points to. What is not a regular file (a device, a named pipe, "-" for the standard output)
/// is written directly.
class atomic_output_file {
 public:
  /// @throws error io.
  explicit atomic_output_file(const std::string& path);
  ~atomic_output_file();
  atomic_output_file(const atomic_output_file&) = delete;
  atomic_output_file& operator=(const atomic_output_file&) = delete;

  /// For messages: the path, or "standard output".
  const std::string& name() const noexcept { return name_; }

  /// Whether seek() works: for regular files, and after make_seekable().
  bool seekable() const noexcept { return !temporary_.empty() || direct_ != nullptr; }

  /// Makes any output seekable: what is not a regular file gets its bytes at commit() only, from an unnamed temporary
  /// file. No effect on an output that is seekable already.
  /// @throws error io, invalid_argument after the first write().
  void make_seekable();

  /// Bytes from the start to where the next write() goes.
  std::uint64_t position() const noexcept { return position_; }

  /// Bytes that the output has so far.
  std::uint64_t size() const noexcept { return size_; }

  /// @throws error io, with what the system says (disk full, broken pipe).
  void write(std::span<const std::byte> bytes);
  void write(const std::string& text);

  /// Goes to `offset` bytes from the start, to fill in what was not known before.
  /// @throws error io, unsupported when the output is not seekable.
  void seek(std::uint64_t offset);

  /// Reads back what is there from the present position; fewer bytes at the end.
  /// @throws error io, unsupported when the output is not seekable.
  std::size_t read(std::span<std::byte> bytes);

  /// Flushes and renames. Nothing can be written after it. The data are not forced to the disk.
  /// @throws error io.
  void commit();

 private:
  detail::stream_handle stream_;
  detail::stream_handle direct_;  // where commit() copies the unnamed temporary file to
  std::string name_;
  std::filesystem::path destination_;
  std::filesystem::path temporary_;  // empty when there is nothing to rename
  std::optional<partial_file> on_signal_;
  std::uint64_t position_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace gpuimg::examples
