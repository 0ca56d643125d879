//! A model's arguments, leniently typed (S38).
