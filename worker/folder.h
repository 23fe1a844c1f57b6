// The private folder of a running job: made empty, removed with everything in it.
#pragma once

#include <string>

#include "base/status.h"

namespace muster::worker {

class Folder {
 public:
  // Under `parent`, for the owner only.
  static Result<Folder> make(const std::string& parent);
  ~Folder();
  Folder(Folder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  Folder& operator=(Folder&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit Folder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace muster::worker
