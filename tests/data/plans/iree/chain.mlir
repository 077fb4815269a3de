func.func @chain(%x: tensor<1x64xf32>, %a: tensor<64x1000xf32>, %b: tensor<1000x300xf32>, %c: tensor<300x700xf32>, %d: tensor<700x200xf32>, %e: tensor<200x900xf32>, %f: tensor<900x10xf32>) -> tensor<1x10xf32> {
  %0 = "stablehlo.dot"(%x, %a) : (tensor<1x64xf32>, tensor<64x1000xf32>) -> tensor<1x1000xf32>
  %1 = "stablehlo.dot"(%0, %b) : (tensor<1x1000xf32>, tensor<1000x300xf32>) -> tensor<1x300xf32>
  %2 = "stablehlo.dot"(%1, %c) : (tensor<1x300xf32>, tensor<300x700xf32>) -> tensor<1x700xf32>
  %3 = "stablehlo.dot"(%2, %d) : (tensor<1x700xf32>, tensor<700x200xf32>) -> tensor<1x200xf32>
  %4 = "stablehlo.dot"(%3, %e) : (tensor<1x200xf32>, tensor<200x900xf32>) -> tensor<1x900xf32>
  %5 = "stablehlo.dot"(%4, %f) : (tensor<1x900xf32>, tensor<900x10xf32>) -> tensor<1x10xf32>
  return %5 : tensor<1x10xf32>
}
