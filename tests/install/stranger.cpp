// A stranger's C++ program: the header must be C++, the types usable, the objects freed by name.
#include <neyman/neyman.h>

#include <cstdio>
#include <memory>
#include <string>

int main()
{
    const std::string text = "+1 1:2\n-1 1:-2\n";
    ney_data *data = nullptr;
    ney_error err = {};

    if (ney_data_parse(&data, nullptr, "text", text.data(), text.size(), nullptr, nullptr, &err) !=
        NEY_OK) {
        std::printf("%s\n", err.message);
        return 1;
    }
    const std::unique_ptr<ney_data, decltype(&ney_data_free)> owner(data, ney_data_free);
    const ney_matrix *x = ney_data_matrix(data);
    std::printf("library %s read %lld rows\n", ney_version(), static_cast<long long>(x->rows));
    return x->rows == 2 && x->cols == 1 ? 0 : 1;
}
