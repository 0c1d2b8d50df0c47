#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

// The only way to the disk. posix_* implements it with system calls; tests replace it by one that fails, tears, reorders
// and forgets. All calls block; run them on a worker. Paths use '/' and are plain strings.
//
// Errors by call (docs/architecture.md, "Errors"): disk_full (ENOSPC, EDQUOT), too_many_open_files (EMFILE, ENFILE),
// read_only (EROFS), not_found_on_disk, already_exists_on_disk, locked, io_failed for everything else. Any error at all of
// sync_data, sync_all, sync_directory or truncate is io_failed: what the file holds can no longer be known, and
// a later success proves nothing. `error::internal` has call, path and strerror.

namespace pystream::io {

// An open file. A shared_ptr to it may be handed to a worker whole; reads may overlap with one writer.
class file {
public:
    virtual ~file() = default;
    virtual const std::string& path() const noexcept = 0;
    virtual base::result<std::uint64_t> size() const = 0;
    // Fills `into` from `position`; fewer bytes only at the end of the file. Returns the count.
    virtual base::result<std::size_t> read_at(std::uint64_t position, std::span<char> into) const = 0;
    // Writes all of `bytes` (short writes are continued). On an error a part may have been written.
    virtual base::result<void> write_at(std::uint64_t position, std::string_view bytes) = 0;
    virtual base::result<void> truncate(std::uint64_t size) = 0;
    // fdatasync: content and size are on the disk.
    virtual base::result<void> sync_data() = 0;
    // fsync: also the rest of the metadata. For files that are about to be renamed.
    virtual base::result<void> sync_all() = 0;
};

enum class open_mode : std::uint8_t {
    read,             // must exist
    read_write,       // must exist
    create,           // must not exist; read and write
    create_truncate,  // read and write, emptied when it exists
};

enum class entry_kind : std::uint8_t { file, directory, other };

struct directory_entry {
    std::string name;
    entry_kind kind;
};

// Held while the object lives.
class directory_lock {
public:
    virtual ~directory_lock() = default;
};

class file_system {
public:
    virtual ~file_system() = default;
    virtual base::result<std::shared_ptr<file>> open(const std::string& path, open_mode mode) = 0;
    virtual base::result<std::vector<directory_entry>> list(const std::string& directory) = 0;  // sorted by name, no . and ..
    virtual base::result<bool> exists(const std::string& path) = 0;
    virtual base::result<void> create_directory(const std::string& path) = 0;               // one level; already_exists_on_disk
    virtual base::result<void> rename(const std::string& from, const std::string& to) = 0;  // replaces `to`
    virtual base::result<void> remove(const std::string& path) = 0;                         // a file or an empty directory
    virtual base::result<void> sync_directory(const std::string& path) = 0;  // entries made, renamed or removed are on disk
    // flock on `path` (created when missing): `locked` when another process has it.
    virtual base::result<std::unique_ptr<directory_lock>> lock(const std::string& path) = 0;
    // Everything written so far to the file system that holds `root` is on disk (syncfs). A kept descriptor is used, so
    // that an error since the previous call is seen. `unsupported` is told by supports_sync_all_files.
    virtual bool supports_sync_all_files(const std::string& root) = 0;
    virtual base::result<void> sync_all_files(const std::string& root) = 0;
};

}  // namespace pystream::io
