//! Classes of vehicles, with the sizes of SUMO's default vehicles.

/// Class of a vehicle, which sets its size. Files state a name of a type alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VehicleClass {
    /// Car.
    #[default]
    Passenger,
    /// Van.
    Delivery,
    /// Truck.
    Truck,
    /// Truck with a trailer.
    Trailer,
    /// Bus.
    Bus,
    /// Tram or train: one car.
    Tram,
    /// Motorcycle.
    Motorcycle,
    /// Bicycle with its rider.
    Bicycle,
}

/// Parts of names of types, each with its class. The first that a name contains counts.
const NAMES: [(&str, VehicleClass); 19] = [
    ("trailer", VehicleClass::Trailer),
    ("semi", VehicleClass::Trailer),
    ("truck", VehicleClass::Truck),
    ("lorry", VehicleClass::Truck),
    ("hgv", VehicleClass::Truck),
    ("coach", VehicleClass::Bus),
    ("bus", VehicleClass::Bus),
    ("tram", VehicleClass::Tram),
    ("train", VehicleClass::Tram),
    ("rail", VehicleClass::Tram),
    ("subway", VehicleClass::Tram),
    ("deliver", VehicleClass::Delivery),
    ("van", VehicleClass::Delivery),
    ("emergency", VehicleClass::Delivery),
    ("motor", VehicleClass::Motorcycle),
    ("moped", VehicleClass::Motorcycle),
    ("scooter", VehicleClass::Motorcycle),
    ("bike", VehicleClass::Bicycle),
    ("cycl", VehicleClass::Bicycle),
];

impl VehicleClass {
    /// Class that a type's name contains, in any case, such as `DEFAULT_BIKETYPE` or `city_bus`; a car without one.
    #[must_use]
    pub fn of_type(name: &str) -> Self {
        let name = name.to_lowercase();
        let found = NAMES.iter().find(|(part, _)| name.contains(part));
        found.map_or(Self::Passenger, |(_, class)| *class)
    }

    /// Name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passenger => "car",
            Self::Delivery => "van",
            Self::Truck => "truck",
            Self::Trailer => "trailer",
            Self::Bus => "bus",
            Self::Tram => "tram",
            Self::Motorcycle => "motorcycle",
            Self::Bicycle => "bicycle",
        }
    }

    /// Length, width and height (m) of SUMO's default vehicle of the class (Vehicle Type Parameter Defaults).
    #[must_use]
    pub const fn size(self) -> [f32; 3] {
        match self {
            Self::Passenger => [5.0, 1.8, 1.5],
            Self::Delivery => [6.5, 2.16, 2.86],
            Self::Truck => [7.1, 2.4, 2.4],
            Self::Trailer => [16.5, 2.55, 4.0],
            Self::Bus => [12.0, 2.5, 3.4],
            Self::Tram => [22.0, 2.4, 3.2],
            Self::Motorcycle => [2.2, 0.9, 1.5],
            Self::Bicycle => [1.6, 0.65, 1.7],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_names_of_types() {
        for (name, class) in [
            ("DEFAULT_VEHTYPE", VehicleClass::Passenger),
            ("", VehicleClass::Passenger),
            ("DEFAULT_BIKETYPE", VehicleClass::Bicycle),
            ("motorbike", VehicleClass::Motorcycle),
            ("City_Bus", VehicleClass::Bus),
            ("truck_semitrailer", VehicleClass::Trailer),
            ("veh_delivery", VehicleClass::Delivery),
            ("rail_urban", VehicleClass::Tram),
        ] {
            assert_eq!(VehicleClass::of_type(name), class, "{name}");
        }
    }
}
