func.func @loop(%x: tensor<30x30xf32>, %n: tensor<i32>) -> tensor<30x30xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = "stablehlo.while"(%x, %n) ({
   ^bb0(%a: tensor<30x30xf32>, %i: tensor<i32>):
    %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
   ^bb0(%a: tensor<30x30xf32>, %i: tensor<i32>):
    %b = "stablehlo.dot"(%a, %x) : (tensor<30x30xf32>, tensor<30x30xf32>) -> tensor<30x30xf32>
    %t = stablehlo.tanh %b : tensor<30x30xf32>
    %d = "stablehlo.dot"(%t, %b) : (tensor<30x30xf32>, tensor<30x30xf32>) -> tensor<30x30xf32>
    %j = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %d, %j : tensor<30x30xf32>, tensor<i32>
  }) : (tensor<30x30xf32>, tensor<i32>) -> (tensor<30x30xf32>, tensor<i32>)
  return %r#0 : tensor<30x30xf32>
}
