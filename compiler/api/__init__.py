"""What users call: `grad`, `vjp`, `hessian`, `check_grads`, ..."""
