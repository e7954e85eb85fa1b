/// @file
/// Files under their temporary name, to be removed when a signal ends the program.
#pragma once

#include <cstddef>
#include <string>

namespace gpuimg::examples {

/// From now on SIGINT, SIGTERM, SIGHUP, SIGPIPE and SIGXCPU remove what atomic_output_file has not yet renamed, and
/// end the program as they do without this. Signals that are ignored stay so. For main() of a program.
void remove_partial_files_on_signals();

/// A file that such a signal removes as long as the object lives; those beyond the sixteenth at a time are left.
class partial_file {
 public:
  explicit partial_file(std::string path);
  ~partial_file();
  partial_file(const partial_file&) = delete;
  partial_file& operator=(const partial_file&) = delete;

 private:
  std::string path_;
  std::size_t slot_ = 0;
};

}  // namespace gpuimg::examples
