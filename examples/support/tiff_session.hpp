/// @file
/// An open TIFF whose bytes go through our files and whose errors are kept for one exception. Internal to the TIFF
/// reader and writer.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <tiffio.h>

#include "byte_file.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples::detail {

/// Wraps libtiff: exceptions of our files wait in the session while libtiff returns, and the first of its error
/// messages is kept. Nothing is printed (libtiff older than 4.5 has only global handlers, which are left alone).
class tiff_session {
 public:
  /// Opens for reading; `file` must be seekable. `allocation_limit` bounds what libtiff allocates at once.
  /// @throws error corrupt, io.
  tiff_session(input_file& file, std::uint64_t allocation_limit);

  /// Opens for writing; `file` must be seekable.
  /// @throws error io.
  tiff_session(atomic_output_file& file, bool is_big);

  ~tiff_session();
  tiff_session(const tiff_session&) = delete;
  tiff_session& operator=(const tiff_session&) = delete;

  TIFF* get() const noexcept { return tiff_; }

  /// @throws error with `code`, `what` and libtiff's message, or what the file has thrown, unless `succeeded` and the
  /// file has not thrown.
  void check(bool succeeded, errc code, const std::string& what) const;

 private:
  void open(const char* mode, std::uint64_t allocation_limit);

  template <class Call>
  auto guarded(const Call& call) noexcept -> decltype(call());

  static tmsize_t on_read(thandle_t handle, void* bytes, tmsize_t count);
  static tmsize_t on_write(thandle_t handle, void* bytes, tmsize_t count);
  static toff_t on_seek(thandle_t handle, toff_t offset, int whence);
  static toff_t on_size(thandle_t handle);
  static int on_close(thandle_t handle);

  input_file* input_ = nullptr;
  atomic_output_file* output_ = nullptr;
  TIFF* tiff_ = nullptr;
  std::exception_ptr pending_;
  std::array<char, 300> text_{};

  friend int keep_tiff_error(TIFF*, void*, const char*, const char*, va_list);
};

}  // namespace gpuimg::examples::detail
