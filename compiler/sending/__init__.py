"""What travels to other processes: functions with their texts, and the derivatives that are made of them."""
