#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pystream::tests {

// A directory of its own for one test, removed with all that is in it.
class temporary_directory {
public:
    temporary_directory()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "pystream-test-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~temporary_directory()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;
    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

}  // namespace pystream::tests
