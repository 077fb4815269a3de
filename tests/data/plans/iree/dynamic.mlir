func.func @dynamic(%x: tensor<?x20xf32>, %w: tensor<20x20xf32>) -> tensor<?x20xf32> {
  %p = "stablehlo.dot"(%x, %w) : (tensor<?x20xf32>, tensor<20x20xf32>) -> tensor<?x20xf32>
  %w2 = "stablehlo.dot"(%w, %w) : (tensor<20x20xf32>, tensor<20x20xf32>) -> tensor<20x20xf32>
  %q = "stablehlo.dot"(%p, %w2) : (tensor<?x20xf32>, tensor<20x20xf32>) -> tensor<?x20xf32>
  return %q : tensor<?x20xf32>
}
