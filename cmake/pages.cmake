# muster_pages(TARGET): the dashboard's files, made by npm from web/, as bytes in TARGET.
#
# generated/pages/pages.h declares, in namespace muster::embedded, `pages()` and `pages_missing()` (tools/build_pages.py). What npm needs to be
# asked again for is what ninja watches: the files of web/ but for what npm itself puts there, and the page of limits, which the dashboard shows.
function(muster_pages target)
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/* ${CMAKE_SOURCE_DIR}/web/public/*)
  file(GLOB top LIST_DIRECTORIES false CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/*)
  set(out ${CMAKE_BINARY_DIR}/generated/pages/pages)
  add_custom_command(
    OUTPUT ${out}.h ${out}.cc
    COMMAND python3 -B ${CMAKE_SOURCE_DIR}/tools/build_pages.py --web ${CMAKE_SOURCE_DIR}/web --output ${out}
    DEPENDS ${inputs} ${top} ${CMAKE_SOURCE_DIR}/docs/limits.md ${CMAKE_SOURCE_DIR}/tools/build_pages.py
    VERBATIM)
  target_sources(${target} PRIVATE ${out}.cc)
endfunction()
