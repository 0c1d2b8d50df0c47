#include "core/io/posix_file_system.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

namespace pystream::io {
namespace {

constexpr ::mode_t file_mode = 0644;
constexpr ::mode_t directory_mode = 0755;
constexpr ::__fsword_t xfs_magic = 0x58465342;

base::errc errc_of(int number)
{
    switch (number) {
    case ENOSPC:
    case EDQUOT: return base::errc::disk_full;
    case EMFILE:
    case ENFILE: return base::errc::too_many_open_files;
    case EROFS: return base::errc::read_only;
    case ENOENT: return base::errc::not_found_on_disk;
    case EEXIST: return base::errc::already_exists_on_disk;
    default: return base::errc::io_failed;
    }
}

base::error error_as(base::errc code, std::string_view call, const std::string& path, int number)
{
    char text[128] = {};
    const char* const reason = ::strerror_r(number, text, sizeof text);  // the GNU form: safe on every thread
    return {code, {}, std::string{call} + " " + path + ": " + reason};
}

base::error last_error(std::string_view call, const std::string& path)
{
    const int number = errno;
    return error_as(errc_of(number), call, path, number);
}

// For calls after whose failure the content of a file can no longer be known, whatever the reason.
base::error last_error_is_final(std::string_view call, const std::string& path)
{
    return error_as(base::errc::io_failed, call, path, errno);
}

template <class Call>
auto retry_interrupted(Call call)
{
    for (;;) {
        const auto result = call();
        if (result >= 0 || errno != EINTR) return result;
    }
}

class descriptor {
public:
    explicit descriptor(int number) noexcept : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&&) = delete;
    ~descriptor()
    {
        if (number_ >= 0) ::close(number_);
    }
    int get() const noexcept { return number_; }
    explicit operator bool() const noexcept { return number_ >= 0; }

private:
    int number_;
};

descriptor open_descriptor(const std::string& path, int flags)
{
    return descriptor{retry_interrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, file_mode); })};
}

class posix_file final : public file {
public:
    posix_file(std::string path, descriptor handle) : path_(std::move(path)), handle_(std::move(handle)) {}

    const std::string& path() const noexcept override { return path_; }

    base::result<std::uint64_t> size() const override
    {
        struct ::stat status{};
        if (::fstat(handle_.get(), &status) != 0) return last_error("fstat", path_);
        return static_cast<std::uint64_t>(status.st_size);
    }

    base::result<std::size_t> read_at(std::uint64_t position, std::span<char> into) const override
    {
        std::size_t count = 0;
        while (count < into.size()) {
            const ::ssize_t got = retry_interrupted([&] {
                return ::pread(handle_.get(), into.data() + count, into.size() - count, static_cast<::off_t>(position + count));
            });
            if (got < 0) return last_error("pread", path_);
            if (got == 0) break;
            count += static_cast<std::size_t>(got);
        }
        return count;
    }

    base::result<void> write_at(std::uint64_t position, std::string_view bytes) override
    {
        while (!bytes.empty()) {
            const ::ssize_t put = retry_interrupted(
                [&] { return ::pwrite(handle_.get(), bytes.data(), bytes.size(), static_cast<::off_t>(position)); });
            if (put < 0) return last_error("pwrite", path_);
            position += static_cast<std::uint64_t>(put);
            bytes.remove_prefix(static_cast<std::size_t>(put));
        }
        return {};
    }

    base::result<void> truncate(std::uint64_t size) override
    {
        if (retry_interrupted([&] { return ::ftruncate(handle_.get(), static_cast<::off_t>(size)); }) != 0)
            return last_error_is_final("ftruncate", path_);
        return {};
    }

    // A sync that a signal interrupted has not failed and is asked for again; any other error is final.
    base::result<void> sync_data() override
    {
        if (retry_interrupted([&] { return ::fdatasync(handle_.get()); }) != 0) return last_error_is_final("fdatasync", path_);
        return {};
    }

    base::result<void> sync_all() override
    {
        if (retry_interrupted([&] { return ::fsync(handle_.get()); }) != 0) return last_error_is_final("fsync", path_);
        return {};
    }

private:
    std::string path_;
    descriptor handle_;
};

class posix_lock final : public directory_lock {
public:
    explicit posix_lock(descriptor handle) : handle_(std::move(handle)) {}

private:
    descriptor handle_;
};

int flags_of(open_mode mode)
{
    switch (mode) {
    case open_mode::read: return O_RDONLY;
    case open_mode::read_write: return O_RDWR;
    case open_mode::create: return O_RDWR | O_CREAT | O_EXCL;
    case open_mode::create_truncate: return O_RDWR | O_CREAT | O_TRUNC;
    }
    return O_RDONLY;
}

entry_kind kind_of(const std::string& path, unsigned char type)
{
    if (type == DT_REG) return entry_kind::file;
    if (type == DT_DIR) return entry_kind::directory;
    if (type != DT_UNKNOWN) return entry_kind::other;
    struct ::stat status{};
    if (::lstat(path.c_str(), &status) != 0) return entry_kind::other;
    if (S_ISREG(status.st_mode)) return entry_kind::file;
    return S_ISDIR(status.st_mode) ? entry_kind::directory : entry_kind::other;
}

bool kernel_reports_syncfs_errors()
{
    struct ::utsname name{};
    int major = 0;
    int minor = 0;
    if (::uname(&name) != 0 || std::sscanf(name.release, "%d.%d", &major, &minor) != 2) return false;
    return major > 5 || (major == 5 && minor >= 8);
}

bool syncfs_is_trusted_on(int handle)
{
    struct ::statfs status{};
    if (::fstatfs(handle, &status) != 0) return false;
    return status.f_type == EXT4_SUPER_MAGIC || status.f_type == xfs_magic || status.f_type == BTRFS_SUPER_MAGIC;
}

class posix_file_system final : public file_system {
public:
    base::result<std::shared_ptr<file>> open(const std::string& path, open_mode mode) override
    {
        descriptor handle = open_descriptor(path, flags_of(mode));
        if (!handle) return last_error("open", path);
        return std::shared_ptr<file>{std::make_shared<posix_file>(path, std::move(handle))};
    }

    base::result<std::vector<directory_entry>> list(const std::string& directory) override
    {
        const std::unique_ptr<::DIR, int (*)(::DIR*)> stream{::opendir(directory.c_str()), ::closedir};
        if (!stream) return last_error("opendir", directory);
        std::vector<directory_entry> entries;
        for (;;) {
            errno = 0;
            const ::dirent* const entry = ::readdir(stream.get());
            if (entry == nullptr) break;
            std::string name = entry->d_name;
            if (name == "." || name == "..") continue;
            const entry_kind kind = kind_of(directory + "/" + name, entry->d_type);
            entries.push_back({std::move(name), kind});
        }
        if (errno != 0) return last_error("readdir", directory);
        std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
        return entries;
    }

    base::result<bool> exists(const std::string& path) override
    {
        struct ::stat status{};
        if (::lstat(path.c_str(), &status) == 0) return true;
        if (errno == ENOENT || errno == ENOTDIR) return false;
        return last_error("lstat", path);
    }

    base::result<void> create_directory(const std::string& path) override
    {
        if (::mkdir(path.c_str(), directory_mode) != 0) return last_error("mkdir", path);
        return {};
    }

    base::result<void> rename(const std::string& from, const std::string& to) override
    {
        if (::rename(from.c_str(), to.c_str()) != 0) return last_error("rename", from + " to " + to);
        return {};
    }

    base::result<void> remove(const std::string& path) override
    {
        if (::remove(path.c_str()) != 0) return last_error("remove", path);
        return {};
    }

    base::result<void> sync_directory(const std::string& path) override
    {
        const descriptor handle = open_descriptor(path, O_RDONLY | O_DIRECTORY);
        if (!handle) return last_error("open", path);
        if (retry_interrupted([&] { return ::fsync(handle.get()); }) != 0) return last_error_is_final("fsync", path);
        return {};
    }

    base::result<std::unique_ptr<directory_lock>> lock(const std::string& path) override
    {
        descriptor handle = open_descriptor(path, O_RDWR | O_CREAT);
        if (!handle) return last_error("open", path);
        if (retry_interrupted([&] { return ::flock(handle.get(), LOCK_EX | LOCK_NB); }) != 0) {
            if (errno == EWOULDBLOCK) return error_as(base::errc::locked, "flock", path, EWOULDBLOCK);
            return last_error("flock", path);
        }
        return std::unique_ptr<directory_lock>{std::make_unique<posix_lock>(std::move(handle))};
    }

    bool supports_sync_all_files(const std::string& root) override { return root_descriptor(root) >= 0; }

    base::result<void> sync_all_files(const std::string& root) override
    {
        const int handle = root_descriptor(root);
        if (handle < 0) return error_as(base::errc::io_failed, "syncfs", root, ENOTSUP);
        if (retry_interrupted([&] { return ::syncfs(handle); }) != 0) return last_error_is_final("syncfs", root);
        return {};
    }

private:
    // -1: cannot be relied on. Descriptors stay open for the life of the object.
    int root_descriptor(const std::string& root)
    {
        const std::lock_guard guard{roots_mutex_};
        const auto known = roots_.find(root);
        if (known != roots_.end()) return known->second.get();
        descriptor handle = open_descriptor(root, O_RDONLY | O_DIRECTORY);
        if (!handle) return -1;  // not remembered: it may be descriptors that ran out
        const bool trusted = kernel_reports_syncfs_errors() && syncfs_is_trusted_on(handle.get());
        return roots_.emplace(root, trusted ? std::move(handle) : descriptor{-1}).first->second.get();
    }

    std::mutex roots_mutex_;
    std::map<std::string, descriptor> roots_;
};

}  // namespace

std::unique_ptr<file_system> make_posix_file_system()
{
    return std::make_unique<posix_file_system>();
}

}  // namespace pystream::io
