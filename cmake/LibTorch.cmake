# LibTorch beside a torch Python package (or a libtorch folder). find_package(Torch) of the CUDA wheel insists on a
# CUDA toolkit, which nobody needs here, so the libraries are found by hand.
#
# FORERUN_TORCH: a site-packages folder that holds torch/, a torch/ folder, or an unpacked libtorch.
# Default: the virtual environment scripts/setup made under the build tree.
set(FORERUN_TORCH "" CACHE PATH "site-packages folder with torch/, or an unpacked libtorch")

set(candidates "")
if(FORERUN_TORCH)
  list(APPEND candidates ${FORERUN_TORCH} ${FORERUN_TORCH}/torch)
else()
  file(GLOB venv_torch ${PROJECT_BINARY_DIR}/venv/lib/python3*/site-packages/torch)
  list(APPEND candidates ${venv_torch})
endif()
set(FORERUN_TORCH_ROOT "")
foreach(candidate IN LISTS candidates)
  if(EXISTS ${candidate}/lib/libtorch_cpu.so AND EXISTS ${candidate}/include/torch/csrc/api/include/torch/torch.h)
    set(FORERUN_TORCH_ROOT ${candidate})
    break()
  endif()
endforeach()
if(NOT FORERUN_TORCH_ROOT)
  if(FORERUN_TORCH)
    message(FATAL_ERROR "FORERUN_TORCH=${FORERUN_TORCH} holds no LibTorch (looked for lib/libtorch_cpu.so and include/torch/csrc/api/include/torch/torch.h)")
  endif()
  return()
endif()

# Since 2.10 in headeronly/; before in the C++ API's folder.
set(version_lines "")
foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(NOT version_lines AND EXISTS ${FORERUN_TORCH_ROOT}/include/${header})
    file(STRINGS ${FORERUN_TORCH_ROOT}/include/${header} version_lines REGEX "#define TORCH_VERSION_(MAJOR|MINOR) ")
  endif()
endforeach()
string(REGEX MATCHALL "[0-9]+" version_parts "${version_lines}")
string(JOIN "." FORERUN_TORCH_FOUND_VERSION ${version_parts})

# The wheel's libraries need NVIDIA's at load time; those lie beside torch in site-packages.
get_filename_component(site_packages ${FORERUN_TORCH_ROOT} DIRECTORY)
file(GLOB nvidia_libs ${site_packages}/nvidia/*/lib)
set(FORERUN_NVIDIA_ROOT ${site_packages}/nvidia)

add_library(forerun_torch INTERFACE)
add_library(forerun::torch ALIAS forerun_torch)
target_include_directories(forerun_torch SYSTEM INTERFACE ${FORERUN_TORCH_ROOT}/include
                           ${FORERUN_TORCH_ROOT}/include/torch/csrc/api/include)
# PyPI's wheels are built with the C++11 ABI since 2.6; older ones would need _GLIBCXX_USE_CXX11_ABI=0.
target_compile_features(forerun_torch INTERFACE cxx_std_17)
target_link_directories(forerun_torch INTERFACE ${FORERUN_TORCH_ROOT}/lib)
target_link_libraries(forerun_torch INTERFACE -Wl,--no-as-needed torch torch_cpu c10)
# Some wheels ship fmt's headers without its library; next to torch's headers they win over the system's, so code that
# includes both must compile fmt in.
if(EXISTS ${FORERUN_TORCH_ROOT}/include/fmt/format.h)
  target_compile_definitions(forerun_torch INTERFACE FMT_HEADER_ONLY=1)
endif()
set(FORERUN_TORCH_HAS_CUDA OFF)
if(EXISTS ${FORERUN_TORCH_ROOT}/lib/libtorch_cuda.so)
  set(FORERUN_TORCH_HAS_CUDA ON)
  target_link_libraries(forerun_torch INTERFACE torch_cuda c10_cuda)
  target_compile_definitions(forerun_torch INTERFACE FORERUN_TORCH_CUDA=1)
  file(GLOB cuda_includes ${site_packages}/nvidia/*/include)
  target_include_directories(forerun_torch SYSTEM INTERFACE ${cuda_includes})
endif()
foreach(dir ${FORERUN_TORCH_ROOT}/lib ${nvidia_libs})
  target_link_options(forerun_torch INTERFACE -Wl,-rpath,${dir} -Wl,-rpath-link,${dir})
endforeach()
